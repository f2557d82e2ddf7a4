package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// bom is the used subset of CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/). It has no
// serial number and no time, so that the same binary has the same SBOM.
type bom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Ref      string    `json:"bom-ref"`
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Hashes   []hash    `json:"hashes,omitempty"`
	Licenses []license `json:"licenses"`
	PURL     string    `json:"purl"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type license struct {
	Expression string `json:"expression"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// sbom writes the SBOM of a binary from the build information in it.
func (r *release) sbom(t target, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	program := r.component("application", "blue", "v"+r.version, "Apache-2.0")
	program.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	b := bom{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{program}}
	uses := dependency{Ref: program.Ref}
	modules := [][2]string{{"std", strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		modules = append(modules, [2]string{m.Path, m.Version})
	}
	for _, m := range modules {
		terms, ok := r.licenses[m[0]]
		if !ok {
			return fmt.Errorf("%s is not in .release/licenses.txt", m[0])
		}
		c := r.component("library", m[0], m[1], terms)
		b.Components = append(b.Components, c)
		uses.DependsOn = append(uses.DependsOn, c.Ref)
	}
	b.Dependencies = []dependency{uses}
	return r.writeJSON(r.base(t)+".cdx.json", b)
}

func (r *release) component(kind, name, version, terms string) component {
	purl := "pkg:golang/" + name + "@" + version
	return component{Ref: purl, Type: kind, Name: name, Version: version, Licenses: []license{{terms}}, PURL: purl}
}

func (r *release) writeJSON(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return r.write(name, append(data, '\n'))
}
