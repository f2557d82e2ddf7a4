package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/google/jsonschema-go/jsonschema"
)

// validate validates JSON files against a schema. Schemas that it refers to are in the same
// directory.
func validate(schema string, files []string) error {
	load := func(uri *url.URL) (*jsonschema.Schema, error) {
		return readSchema(filepath.Join(filepath.Dir(schema), filepath.Base(uri.Path)))
	}
	s, err := readSchema(schema)
	if err != nil {
		return err
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{Loader: load})
	if err != nil {
		return err
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var value any
		if err := json.Unmarshal(data, &value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := resolved.Validate(value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func readSchema(path string) (*jsonschema.Schema, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &s, nil
}
