package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// phrases are what the text of a licence must hold to be that licence.
var phrases = map[string][]string{
	"Apache-2.0":   {"apache", "version 2.0"},
	"BSD-2-Clause": {"redistribution and use in source and binary forms", "must reproduce the above copyright"},
	"BSD-3-Clause": {"redistribution and use in source and binary forms", "must reproduce the above copyright", "endorse or promote products"},
	"MIT":          {"permission is hereby granted, free of charge", `the software is provided "as is"`},
}

// TestLicenses holds .release/licenses.txt against the modules that are linked on
// any system, and against the licence that each of them carries.
func TestLicenses(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(".release/licenses.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if module, terms, ok := strings.Cut(strings.TrimSpace(line), " "); ok && module != "#" {
			listed[module] = terms
		}
	}
	linked := linkedModules(t)
	for _, module := range slices.Sorted(maps.Keys(linked)) {
		terms, ok := listed[module]
		if !ok {
			t.Errorf("%s is linked and has no line in .release/licenses.txt", module)
			continue
		}
		text := licenseText(t, linked[module])
		for license := range strings.SplitSeq(terms, " AND ") {
			wanted := phrases[license]
			if len(wanted) == 0 || slices.ContainsFunc(wanted, func(p string) bool { return !strings.Contains(text, p) }) {
				t.Errorf("%s: its text is not that of %s", module, license)
			}
		}
		if strings.Contains(text, phrases["BSD-3-Clause"][2]) && !strings.Contains(terms, "BSD-3-Clause") {
			t.Errorf("%s: its text is that of BSD-3-Clause, the list says %s", module, terms)
		}
	}
	for module := range listed {
		if _, ok := linked[module]; !ok {
			t.Errorf(".release/licenses.txt names %s, which is not linked", module)
		}
	}
}

// linkedModules are the modules of the program on every system, with the directory of
// each; std is Go itself.
func linkedModules(t *testing.T) map[string]string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]string{"std": strings.TrimSpace(string(root))}
	for _, system := range []string{"linux", "darwin", "windows"} {
		c := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", ".")
		c.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if module, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				linked[module] = dir
			}
		}
	}
	return linked
}

// licenseText is what the licence files of a module say: in small letters, one space
// between words, without the marks of quotations.
func licenseText(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "LICENSE*"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s has no LICENSE", dir)
	}
	var all []byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	all = bytes.ReplaceAll(bytes.ToLower(all), []byte("\n>"), []byte("\n"))
	return strings.Join(strings.Fields(string(all)), " ")
}

// TestManifest wants the bundle for Claude Desktop to show the tools that are served.
func TestManifest(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(".release/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Tools []struct{ Name string } `json:"tools"`
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	var shown, served []string
	for _, tool := range manifest.Tools {
		shown = append(shown, tool.Name)
	}
	files, err := filepath.Glob("fixtures/tools/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		served = append(served, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	slices.Sort(shown)
	if len(served) == 0 || !slices.Equal(shown, served) {
		t.Errorf("the manifest shows %v, served are %v", shown, served)
	}
}
