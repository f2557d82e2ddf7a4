package inspect

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/screen"
)

// Note is a note to be looked at.
type Note struct {
	Name  string // of its file below .blue
	Data  []byte
	Leads func(id string) []string                    // the ids of the notes that a link may mean
	Later func(to string, missing func()) bool        // whether a link may mean a commit or a document; if there is none, missing is called later
	File  func(name string, missing func()) bool      // as Later, of what may be the path of a document
	Cited func(files []note.Cited) (now []note.Cited) // says which files have changed
	Gone  func(file string) bool                      // whether the project has no file of the name
	UIDs  map[string]string                           // the files of the notes before it, by their directory and identity

	// Unmarked are those of the notes of some ids that do not have the status superseded.
	Unmarked func(ids []string) []string
}

// Text finds what is wrong with the text of a note.
func (in Note) Text(c *reply.Checked) {
	text := string(in.Data)
	n := note.ParseText(in.Name, in.Data)
	f := reply.Issue{Wrong: true, File: reply.FileBelow(in.Name)}
	if !utf8.ValidString(text) {
		f.Kind, f.What, f.Remedy = reply.IssueFront, "the file is not UTF-8 text", "save it as UTF-8"
		c.Add(f) // every other finding would be one of the conversion
		return
	}
	if n.Problem != "" {
		line, problem := n.ProblemLine()
		f.Kind, f.Line, f.What = reply.IssueFront, line, note.ShowLabel(problem, note.ProblemLimit)
		f.Remedy = "mend the lines between the two ---; until then type, title and tags count as missing"
		c.Add(f)
	}
	if n.Conflicted {
		f.Kind, f.Line, f.What = reply.IssueMarkers, n.ConflictLine(), "it holds the conflict markers of a merge"
		f.Remedy = "merge the two sides, or send the whole text: blue edit " + reply.ShellWord(note.IDOf(in.Name)) + " --body -"
		c.Add(f)
	}
	frontLine := n.FrontLines()
	if n.ConflictWith != "" && n.Status != note.Superseded {
		c.Add(reply.Issue{Kind: reply.IssueClash, File: f.File, Line: frontLine(note.ConflictWith), What: "it is another machine's text of the note " + note.ShowTitle(n.ConflictWith),
			Remedy: reply.Clash{ID: note.ShowTitle(n.ConflictWith), With: note.ShowTitle(note.IDOf(in.Name))}.Remedy()})
	}
	in.checkUID(c, n)
	lineOf := n.BodyLines()
	for _, link := range note.FindLinks(n.Body) {
		in.checkLink(c, link.ID, reply.Issue{Kind: reply.IssueLink, Wrong: true, File: f.File, Line: lineOf(link.At)})
	}
	if len(n.Supersedes) > 0 {
		in.checkSupersedes(c, n.Supersedes[:min(len(n.Supersedes), note.ListLimit)], reply.Issue{Kind: reply.IssueSupersedes, File: f.File, Line: frontLine("supersedes")})
	}
	for _, cited := range in.Cited(n.Files) {
		in.checkCited(c, cited, reply.Issue{Kind: reply.IssueStale, File: f.File, Line: frontLine(strings.SplitN(cited.Path, "#", 2)[0])})
	}
}

// checkUID finds another note that has the identity of this one.
func (in Note) checkUID(c *reply.Checked, n note.Text) {
	key := note.ScopeOf(in.Name) + "/" + n.Identity()
	if first, taken := in.UIDs[key]; taken {
		c.Add(reply.Issue{Kind: reply.IssueUID, Wrong: true, File: reply.FileBelow(in.Name), Line: n.FrontLines()(note.UIDKey + ":"), What: "it has the uid of " + reply.FileBelow(first),
			Remedy: "if one is a copy, delete the line uid: in it; if both are one note, remove one of them"})
		return
	}
	in.UIDs[key] = in.Name
}

// checkSupersedes finds notes that are not marked as superseded, and paths of no documents.
func (in Note) checkSupersedes(c *reply.Checked, words []string, f reply.Issue) {
	for _, id := range in.Unmarked(words) {
		f.What = fmt.Sprintf("it supersedes %q, which is not marked as superseded", note.ShowTitle(id))
		f.Remedy = "mark it: blue edit " + reply.ShellWord(note.IDOf(in.Name)) + " --supersedes " + strings.Join(words, ",") + "; or leave it out there"
		c.Add(f)
	}
	for _, word := range words {
		in.File(word, func() {
			f.What = fmt.Sprintf("it supersedes %q, which is no document of the project", note.ShowTitle(word))
			f.Remedy = "give the path from the root of the project, or leave it out there"
			c.Add(f)
		})
	}
}

// Screen finds secrets and hidden characters in a file. It is apart from [Note.Text] because
// it takes most of the time of a check and may run concurrently for several files. Hidden
// characters of one line are one finding.
func Screen(name string, data []byte) (found []reply.Issue) {
	text, file := string(data), reply.FileBelow(name)
	if !utf8.ValidString(text) {
		return nil
	}
	for _, s := range screen.Unallowed(text) {
		found = append(found, reply.Issue{Kind: reply.IssueSecret, Wrong: true, File: file, Line: s.Line, What: "it holds what looks like a secret: " + s.Rule,
			Remedy: "revoke it, and write the name of a variable or of a vault item in its place; if it is none, a person ends the line with <!-- blue:allow " + s.Rule + " -->"})
	}
	hidden := screen.Hidden(text)
	for i, s := range hidden {
		if i > 0 && hidden[i-1].Line == s.Line {
			continue
		}
		same := 1
		for same < len(hidden)-i && hidden[i+same].Line == s.Line {
			same++
		}
		what := fmt.Sprintf("it holds the hidden character U+%04X in column %d", s.Code, s.Column)
		if same > 1 {
			what += fmt.Sprintf(", and %d more", same-1)
		}
		found = append(found, reply.Issue{Kind: reply.IssueHidden, Wrong: true, File: file, Line: s.Line, What: what,
			Remedy: "delete it, or write it as text such as \\u{200B}"})
	}
	return found
}

// checkCited tells of a file, or a part of one, that is no longer what was cited.
func (in Note) checkCited(c *reply.Checked, cited note.Cited, f reply.Issue) {
	path, _, _ := strings.Cut(cited.Path, "#")
	switch {
	case cited.Gone:
		f.What = cited.Path + " is gone"
	case cited.Changed && cited.Now != "":
		f.What = fmt.Sprintf("%s has changed since it was cited, and is now %s", cited.Path, cited.Now)
	case cited.Changed:
		f.What = cited.Path + " has changed since it was cited"
	case cited.Now != "" && !strings.HasPrefix(cited.Now, path+"#"):
		f.What = fmt.Sprintf("%s is now %s, unchanged", cited.Path, cited.Now)
	case cited.Hash == "" && in.Gone(cited.Path) && in.Gone(path):
		f.What = cited.Path + " does not exist, and the note has no hash of it"
		f.Remedy = "cite the file by the name that it has: blue edit " + reply.ShellWord(note.IDOf(in.Name)) + " --files PATH"
		c.Add(f)
		return
	default:
		return
	}
	f.Remedy = "read the note against what it cites; if it still holds: blue edit " + note.IDOf(in.Name) + " --verified"
	c.Add(f)
}

// checkLink finds out whether a link leads to a commit, a document or one note.
func (in Note) checkLink(c *reply.Checked, to string, f reply.Issue) {
	leads := in.Leads // and not the text of the note, which need not be kept
	asNote := func() {
		switch ids := leads(to); {
		case len(ids) == 0:
			f.What = fmt.Sprintf("the link to %q leads to no note", note.ShowTitle(to))
			f.Remedy = "write that note, bring it back from the trash, or remove the link"
			c.Add(f)
		case len(ids) > 1:
			f.What = fmt.Sprintf("the link to %q fits several notes: %s, %s", note.ShowTitle(to), ids[0], ids[1])
			f.Remedy = "give the whole id of the note that is meant"
			c.Add(f)
		}
	}
	if !in.Later(to, asNote) {
		asNote()
	}
}
