package marker

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blue/errors"
)

// ignoredNotes is the line of .gitignore that keeps notes out of the code's commits.
const ignoredNotes = "notes/\n"

// SetCarry writes how the notes of the project at root travel: a key of project.yaml gets
// a value, every other line stays. With notes: ref they are out of the code's commits from
// now on, else in again.
func SetCarry(root, key, value string) error {
	m, err := os.OpenRoot(filepath.Join(root, Name))
	if err != nil {
		return errors.MarkerNotMade(root, err)
	}
	defer func() { _ = m.Close() }()
	err = rewriteFile(m, root, projectFile, func(text string) string { return setLine(text, key, value) })
	if err == nil && key == "notes" {
		err = rewriteFile(m, root, ignoreFile, func(text string) string {
			lines := slices.DeleteFunc(slices.Collect(strings.Lines(text)), func(line string) bool { return strings.TrimSpace(line) == strings.TrimSpace(ignoredNotes) })
			if text = strings.Join(lines, ""); text == "" {
				text = ignoreText
			}
			if value == "ref" {
				text = endLine(text) + ignoredNotes
			}
			return text
		})
	}
	if err != nil {
		return errors.MarkerNotMade(root, err)
	}
	return nil
}

func setLine(text, key, value string) string {
	lines := slices.Collect(strings.Lines(text))
	for i, line := range lines {
		if found, _, _ := parseLine(strings.TrimRight(line, "\r\n")); found == key {
			lines[i] = key + ": " + value + "\n"
			return strings.Join(lines, "")
		}
	}
	return endLine(text) + key + ": " + value + "\n"
}

func endLine(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// rewriteFile replaces a small file of the marker by what a function makes of its text.
func rewriteFile(m *os.Root, root, name string, change func(text string) string) error {
	text, err := readSmallFile(filepath.Join(root, Name, name), maxProjectFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	after := change(string(text))
	if after == string(text) {
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
