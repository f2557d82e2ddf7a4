package main

import (
	"bytes"
	"context"
	"debug/macho"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
)

// bundle writes blue.mcpb, which Claude Desktop installs by a double click. Its manifest can
// distinguish systems but not processors: macOS gets one file with both, and Windows on ARM
// runs the binary for amd64.
func (r *release) bundle(ctx context.Context, binaries map[target]string) error {
	manifest, err := r.filled(".release/manifest.json")
	if err != nil {
		return err
	}
	mac, err := universal(binaries[target{"darwin", "amd64"}], binaries[target{"darwin", "arm64"}])
	if err != nil {
		return err
	}
	notices, err := r.notices(ctx, binaries[target{"darwin", "arm64"}])
	if err != nil {
		return err
	}
	return r.pack("blue.mcpb", packZip, []file{
		{name: "manifest.json", data: manifest},
		{name: "LICENSE", path: filepath.Join(r.src, "LICENSE")},
		{name: "THIRD_PARTY_LICENSES", data: notices},
		{name: "server/blue-darwin", data: mac, mode: 0o755},
		{name: "server/blue-linux", path: binaries[target{"linux", "amd64"}], mode: 0o755},
		{name: "server/blue.exe", path: binaries[target{"windows", "amd64"}], mode: 0o755},
	})
}

// plugin writes blue-plugin.zip, which Claude Code, Codex and Gemini CLI load when it is
// unpacked. The binary for this machine generates its files and thereby stamps its version.
func (r *release) plugin(ctx context.Context, binary, dir string) error {
	if _, err := command(ctx, r.src, binary, "setup", "--plugin", dir); err != nil {
		return err
	}
	var files []file
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files = append(files, file{name: "blue-plugin/" + filepath.ToSlash(name), path: path})
		return err
	})
	if err != nil {
		return err
	}
	return r.pack("blue-plugin.zip", packZip, files)
}

// page is the alignment of the parts of a universal binary, as a power of two: 16 KiB, the page
// size of Apple's processors.
const page = 14

// universal joins Mach-O binaries into a universal one (mach-o/fat.h): a header and one entry
// for each part, in big-endian words, followed by the parts.
func universal(paths ...string) ([]byte, error) {
	words := []uint32{macho.MagicFat, uint32(len(paths))}
	var parts [][]byte
	end := 1 << page // offset of the next part; the header takes less than a page
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		program, err := macho.NewFile(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		words = append(words, uint32(program.Cpu), program.SubCpu, uint32(end), uint32(len(data)), page)
		parts = append(parts, data)
		end += aligned(len(data))
	}
	joined := make([]byte, 0, end)
	for _, word := range words {
		joined = binary.BigEndian.AppendUint32(joined, word)
	}
	for _, part := range parts {
		joined = append(joined, make([]byte, aligned(len(joined))-len(joined))...)
		joined = append(joined, part...)
	}
	return joined, nil
}

func aligned(n int) int { return (n + 1<<page - 1) &^ (1<<page - 1) }
