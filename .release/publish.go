package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// filled returns a file of the commit with its placeholders replaced: OWNER, VERSION, and
// SHA256(FILE), the checksum of a published file.
func (r *release) filled(name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(r.src, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	text := strings.NewReplacer("OWNER", r.owner, "VERSION", r.version).Replace(string(data))
	for {
		before, rest, found := strings.Cut(text, "SHA256(")
		if !found {
			return []byte(text), nil
		}
		published, after, _ := strings.Cut(rest, ")")
		sum, err := r.checksum(published)
		if err != nil {
			return nil, err
		}
		text = before + sum + after
	}
}

// registry writes server.json for the MCP registry. The file in the tree has a checksum of zeros
// in place of that of the bundle, so that it is valid as it is.
func (r *release) registry() error {
	data, err := r.filled("server.json")
	if err != nil {
		return err
	}
	sum, err := r.checksum("blue.mcpb")
	if err != nil {
		return err
	}
	return r.write("server.json", bytes.ReplaceAll(data, bytes.Repeat([]byte("0"), 64), []byte(sum)))
}

// installer returns a function that writes what installs the archives and knows their checksums.
func (r *release) installer(name string) func() error {
	return func() error {
		data, err := r.filled(".release/" + name)
		if err != nil {
			return err
		}
		return r.write(name, data)
	}
}

// checksums writes the checksums of all published files in the format of `sha256sum --check`.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, entry := range entries {
		sum, err := r.checksum(entry.Name())
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, entry.Name())
	}
	return r.write("checksums.txt", b.Bytes())
}

func (r *release) checksum(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(r.out, name))
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}
