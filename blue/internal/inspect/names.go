// Package inspect finds what is wrong with notes: with their names, and with the text of
// each. It reads no file; who checks a project hands it names, bytes and where links lead.
package inspect

import (
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
)

// Unserved names a file that no reader is served. Only what was meant as a note is
// wrong: pictures, directories and the like are nobody's loss.
func Unserved(c *reply.Checked, file store.File) {
	base := path.Base(file.Name)
	meant := strings.HasSuffix(strings.TrimRight(strings.ToLower(base), " ."), ".md")
	if !meant && strings.HasPrefix(base, ".") {
		return // .gitkeep, .DS_Store
	}
	f := reply.Issue{Kind: reply.IssueOther, Wrong: meant, File: reply.FileBelow(file.Name), What: "it is not a note: " + file.Problem}
	f.Remedy = "leave it, or move it into notes/ with a name that ends in .md if it should be found"
	if meant {
		f.Kind, f.Remedy = reply.IssueName, "put a regular file of at most 1 MiB in its place, or move it out of .blue"
		f.What = "it is not served: " + file.Problem
		if store.SafeName(base) != "" {
			f.Remedy = "rename the file: letters, digits, - and .md at the end are safe everywhere"
		}
	}
	c.Add(f)
}

// Names finds twins, and pairs of notes/ and private/.
func Names(c *reply.Checked, names []string) {
	for _, group := range store.Twins(names, norm.NFC.String) {
		shown := make([]string, len(group))
		for i, name := range group {
			shown[i] = reply.FileBelow(name)
		}
		c.Add(reply.Issue{Kind: reply.IssueTwins, Wrong: true, File: shown[1], What: "on macOS and Windows these are one file: " + strings.Join(shown, ", "),
			Remedy: "rename all but one with git mv; a clone there holds only one of them"})
	}
	public := map[string]bool{}
	for _, name := range names {
		switch base := path.Base(name); {
		case note.ScopeOf(name) == "notes":
			public[base] = true
		case public[base]:
			c.Add(reply.Issue{Kind: reply.IssuePair, File: reply.FileBelow(name), What: "a note of this name is in notes/ too, and the id means that one",
				Remedy: "rename one of them, or say private/" + note.ShowLine(note.IDOf(name))})
		}
	}
}
