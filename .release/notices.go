package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// licenses reads the list of modules and their licences. Each line has a module, a space, and
// an SPDX expression.
func licenses(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if module, terms, ok := strings.Cut(strings.TrimSpace(line), " "); ok && module != "#" {
			list[module] = terms
		}
	}
	return list, nil
}

// notices returns the licence texts that must accompany a binary: those of Go and of every
// module in it.
func (r *release) notices(ctx context.Context, binary string) ([]byte, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	root, err := command(ctx, r.src, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	list := []string{"list", "-m", "-f", "{{.Dir}}"}
	modules := []string{"Go " + info.GoVersion}
	for _, m := range info.Deps {
		list, modules = append(list, m.Path), append(modules, m.Path+" "+m.Version)
	}
	places, err := command(ctx, r.src, "go", list...)
	if err != nil {
		return nil, err
	}
	dirs := append([]string{root}, strings.Split(places, "\n")...)
	var b bytes.Buffer
	b.WriteString("Blue is under the licence in LICENSE. Its binary also holds what follows.\n")
	for i, module := range modules {
		texts, err := licenseTexts(dirs[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", module, err)
		}
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s", strings.Repeat("=", 72), module, texts)
	}
	return b.Bytes(), nil
}

// licenseTexts returns the licence and notice files in the top directory of a module.
func licenseTexts(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, entry := range entries {
		name, _, _ := strings.Cut(strings.ToUpper(entry.Name()), ".")
		if entry.IsDir() || !slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, name) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s\n", bytes.TrimSpace(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))))
	}
	if b.Len() == 0 {
		return nil, fmt.Errorf("no licence in %s", dir)
	}
	return b.Bytes(), nil
}
