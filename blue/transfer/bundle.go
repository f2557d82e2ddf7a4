package transfer

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"blue/blue"
	"blue/blue/internal/note"
)

// writeBundle writes the notes as they stand into a bundle of the Open Knowledge Format
// 0.2, each under its id. Only links change their form, and an import changes them
// back: [[ID]] is [ID](/ID.md) there, which every reader of bundles follows.
func (x *exporter) writeBundle() error {
	var taken []blue.Published
	err := x.eachNote(func(row blue.Published, data []byte) error {
		n := note.ParseText(row.Name, data)
		if n.Problem != "" {
			x.leaveOut(row, n.Problem)
			return nil
		}
		if !n.HasKey("type") {
			if err := n.SetKey("type", n.Type); err != nil {
				return err
			}
		}
		n.Body = rewriteForBundle(n.Body, note.BlankCode(n.Body), x.bundleFile)
		x.out.Notes++
		taken = append(taken, row)
		return x.to.writeFile(bundleFile(row.ID), func(w io.Writer) error {
			_, err := w.Write(n.Bytes())
			return err
		})
	})
	if err != nil {
		return err
	}
	return x.to.writeFile("index.md", func(w io.Writer) error {
		_, err := io.WriteString(w, listContents(taken))
		return err
	})
}

// bundleFile is the file of the note that a link means.
func (x *exporter) bundleFile(ref string) (file string, ok bool) {
	row, ok := x.notes.Find(ref)
	return bundleFile(row.ID), ok
}

// listContents is the listing of a bundle: its notes by type.
func listContents(rows []blue.Published) string {
	var b strings.Builder
	b.WriteString("---\nokf_version: \"0.2\"\n---\n")
	for _, group := range groupByWord(rows, typeOf) {
		fmt.Fprintf(&b, "\n# %s\n\n", group.Name)
		for _, row := range group.Notes {
			title := strings.NewReplacer("[", `\[`, "]", `\]`).Replace(note.ShowLine(row.Title))
			fmt.Fprintf(&b, "* [%s](%s)\n", title, url.PathEscape(bundleFile(row.ID)))
		}
	}
	return b.String()
}
