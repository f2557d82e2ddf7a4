package marker

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blue/errors"
	"blue/marker/mount"
)

// SetSyncKey sets a key of [Sync] in the project.yaml of root, or removes it if value is empty. Every
// other line stays.
func SetSyncKey(root, key, value string) error {
	m, err := os.OpenRoot(filepath.Join(root, Name))
	if err != nil {
		return errors.MarkerNotMade(root, err)
	}
	defer func() { _ = m.Close() }()
	err = rewriteFile(m, projectFile, func(text string) string { return setLine(text, key, value) })
	if err == nil && key == "notes" {
		err = rewriteFile(m, ignoreFile, func(text string) string {
			lines := slices.DeleteFunc(slices.Collect(strings.Lines(text)), func(line string) bool {
				return slices.Contains([]string{"notes/", notebookName + "/"}, strings.TrimSpace(line)) // earlier versions ignored notes/
			})
			if text = strings.Join(lines, ""); text == "" {
				return ignoreText
			}
			return endLine(text) + notebookName + "/\n"
		})
	}
	if err != nil {
		return errors.MarkerNotMade(root, err)
	}
	return nil
}

// setLine sets or removes the line of a key.
func setLine(text, key, value string) string {
	lines := slices.Collect(strings.Lines(text))
	at := slices.IndexFunc(lines, func(line string) bool {
		found, _, _ := parseLine(strings.TrimRight(line, "\r\n"))
		return found == key
	})
	switch {
	case at < 0 && value == "":
	case at < 0:
		lines = append(lines[:len(lines):len(lines)], key+": "+value+"\n")
		if n := len(lines); n > 1 {
			lines[n-2] = endLine(lines[n-2])
		}
	case value == "":
		lines = slices.Delete(lines, at, at+1)
	default:
		lines[at] = key + ": " + value + "\n"
	}
	return strings.Join(lines, "")
}

func endLine(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// rewriteFile replaces the text of a small file by what change returns for it.
func rewriteFile(m *os.Root, name string, change func(text string) string) error {
	text, err := mount.ReadFile(filepath.Join(m.Name(), name), maxProjectFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	after := change(string(text))
	if after == string(text) && err == nil {
		return nil
	}
	temporary := ".tmp-" + rand.Text()
	defer func() { _ = m.Remove(temporary) }()
	if err := writeNewFile(m, temporary, after); err != nil {
		return err
	}
	if err := m.Rename(temporary, name); err != nil {
		return err
	}
	flushDir(m)
	return nil
}
