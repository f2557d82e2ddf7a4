package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
)

// npm writes the packages for npm: blue-notes, and one for each target with its binary, of which
// npm installs the one that fits.
func (r *release) npm(ctx context.Context, binaries map[target]string) error {
	about, err := r.filled(".release/npm.json")
	if err != nil {
		return err
	}
	readme, err := r.filled("README.md")
	if err != nil {
		return err
	}
	license := file{name: "package/LICENSE", path: filepath.Join(r.src, "LICENSE")}
	err = r.pack("blue-notes-"+r.version+".tgz", packTar, []file{
		{name: "package/package.json", data: about}, license,
		{name: "package/blue.js", path: filepath.Join(r.src, ".release", "npm.js"), mode: 0o755},
		{name: "package/README.md", data: readme},
	})
	if err != nil {
		return err
	}
	names := strings.NewReplacer("windows", "win32", "amd64", "x64")
	for _, t := range targets {
		own := map[string]any{}
		if err := json.Unmarshal(about, &own); err != nil {
			return err
		}
		delete(own, "bin")
		delete(own, "mcpName")
		delete(own, "optionalDependencies")
		own["name"] = "blue-notes-" + names.Replace(t.os+"-"+t.arch)
		own["os"], own["cpu"] = []string{names.Replace(t.os)}, []string{names.Replace(t.arch)}
		data, _ := json.Marshal(own) // of what has just been read
		notices, err := r.notices(ctx, binaries[t])
		if err != nil {
			return err
		}
		err = r.pack(own["name"].(string)+"-"+r.version+".tgz", packTar, []file{
			{name: "package/package.json", data: data}, license,
			{name: "package/THIRD_PARTY_LICENSES", data: notices},
			{name: "package/bin/" + t.program(), path: binaries[t], mode: 0o755},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
