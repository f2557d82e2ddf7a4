package blue

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/errors"
)

// What a check looks for. The first group is wrong: it loses, hides or gives away
// text, for somebody who has the same files. The rest are hints, which pass: what
// they name grows old by itself, is on this machine alone, or is no note.
const (
	issueName    = "name"    // a note that no reader is served, for its name or what it is
	issueTwins   = "twins"   // names that are one file on macOS or Windows
	issueFront   = "front"   // front matter that cannot be used, text that is not UTF-8
	issueMarkers = "markers" // conflict markers of a merge
	issueSecret  = "secret"
	issueHidden  = "hidden"
	issueLink    = "link" // leads to no note, or to several

	issueStale = "stale" // a cited file has changed
	issueOther = "other" // a file or directory among the notes that is none
	issuePair  = "pair"  // one name in notes/ and private/
	issueBound = "bound" // trash, history or number of notes beyond a limit
)

// noteLimit is how many notes a project is tested with.
const noteLimit = 100_000

// Issue is one thing that a check found.
type Issue struct {
	Kind   string `json:"kind"`
	Wrong  bool   `json:"wrong"`          // false: a hint
	File   string `json:"file,omitempty"` // relative to the root
	Line   int    `json:"line,omitempty"` // from 1; 0 when it is not about a line
	What   string `json:"what"`
	Remedy string `json:"remedy"`
}

// Checked is the answer to a check.
type Checked struct {
	About
	Notes    int     `json:"notes"` // that were read
	Wrong    int     `json:"wrong"` // findings that are no hints
	Findings []Issue `json:"findings"`
	More     int     `json:"more,omitempty"` // findings beyond those that are named

	hints int
}

// maxFindings is how many findings of each group are named.
const maxFindings = 1000

// Sound reports whether nothing is wrong. Hints do not count.
func (c Checked) Sound() bool { return c.Wrong == 0 }

// Text has one finding a line, as compilers write them, with its remedy below.
func (c Checked) Text() string {
	var b strings.Builder
	for _, f := range c.Findings {
		place := ""
		switch {
		case f.Line > 0:
			place = fmt.Sprintf("%s:%d: ", f.File, f.Line)
		case f.File != "":
			place = f.File + ": "
		}
		mark := f.Kind
		if !f.Wrong {
			mark = "hint: " + f.Kind
		}
		fmt.Fprintf(&b, "%s%s: %s\n    %s\n", place, mark, f.What, f.Remedy)
	}
	if c.More > 0 {
		fmt.Fprintf(&b, "%d more are not named\n", c.More)
	}
	fmt.Fprintf(&b, "%d wrong, %s among %s\n", c.Wrong, Plural(c.hints, "hint"), Plural(c.Notes, "note"))
	return b.String() + c.Lines()
}

// Check looks for what is wrong with the notes of a project, and changes nothing.
// What it finds is no error.
func (p *Project) Check(ctx context.Context) (c Checked, err error) {
	defer p.NameProject(&err)
	c = Checked{About: p.About(), Findings: []Issue{}}
	if err := p.refresh(ctx); err != nil { // links are looked up in the index
		return c, err
	}
	var names []string
	for file, err := range p.store.Files(ctx) {
		if err != nil && !p.leaveOut(file.Name, err) {
			return c, err
		}
		if err != nil {
			c.addUnreadable(file.Name, err)
			continue
		}
		names = append(names, file.Name)
		if file.Problem != "" {
			c.addUnserved(file)
			continue
		}
		data, _, err := p.store.Read(file.Name)
		switch {
		case errors.Is(err, errors.NotFound):
		case err != nil:
			c.addUnreadable(file.Name, err)
		default:
			c.Notes++
			c.checkText(p, file.Name, data)
		}
	}
	c.checkNames(names)
	c.checkProjectName(p)
	if err := c.checkBounds(ctx, p); err != nil {
		return c, err
	}
	c.sortFindings()
	return c, nil
}

// addUnreadable names what cannot be read.
func (c *Checked) addUnreadable(name string, err error) {
	c.addIssue(Issue{Kind: issueName, Wrong: true, File: issueFile(name), What: errors.Of(err).Message, Remedy: "look at its owner, its permissions and the disk"})
}

func (c *Checked) addIssue(f Issue) {
	count := &c.hints
	if f.Wrong {
		count = &c.Wrong
	}
	if *count++; *count > maxFindings {
		c.More++
		return
	}
	c.Findings = append(c.Findings, f)
}

// sortFindings puts findings in the order of files and lines, those of the project last.
func (c *Checked) sortFindings() {
	slices.SortStableFunc(c.Findings, func(a, b Issue) int {
		if (a.File == "") != (b.File == "") {
			return cmp.Compare(b.File, a.File)
		}
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
}

// addUnserved names a file that no reader is served. Only what was meant as a note is
// wrong: pictures, directories and the like are nobody's loss.
func (c *Checked) addUnserved(file store.File) {
	base := path.Base(file.Name)
	meant := strings.HasSuffix(strings.TrimRight(strings.ToLower(base), " ."), ".md")
	if !meant && strings.HasPrefix(base, ".") {
		return // .gitkeep, .DS_Store
	}
	f := Issue{Kind: issueOther, Wrong: meant, File: issueFile(file.Name), What: "it is no note and not served: " + file.Problem}
	f.Remedy = "nothing, unless it should be found: then make a file in notes/ itself that ends in .md"
	if meant {
		f.Kind, f.Remedy = issueName, "put a regular file of at most 1 MiB in its place, or move it out of .blue"
		f.What = "it is not served: " + file.Problem
		if store.SafeName(base) != "" {
			f.Remedy = "rename the file: letters, digits, - and .md at the end are safe everywhere"
		}
	}
	c.addIssue(f)
}

// checkProjectName finds a name that replies cannot show as it stands.
func (c *Checked) checkProjectName(p *Project) {
	if fault := p.found.NameFault; fault != "" {
		c.addIssue(Issue{Kind: issueBound, File: issueFile("project.yaml"), What: fmt.Sprintf("the name of the project is shown as %q: %s", p.found.Name, fault),
			Remedy: "give it a short name on one line, after the key name"})
	}
}

// checkNames finds twins, and pairs of notes/ and private/.
func (c *Checked) checkNames(names []string) {
	for _, group := range store.Twins(names, norm.NFC.String) {
		shown := make([]string, len(group))
		for i, name := range group {
			shown[i] = issueFile(name)
		}
		c.addIssue(Issue{Kind: issueTwins, Wrong: true, File: shown[1], What: "on macOS and Windows these are one file: " + strings.Join(shown, ", "),
			Remedy: "rename all but one with git mv; a clone there holds only one of them"})
	}
	public := map[string]bool{}
	for _, name := range names {
		switch base := path.Base(name); {
		case note.ScopeOf(name) == "notes":
			public[base] = true
		case public[base]:
			c.addIssue(Issue{Kind: issuePair, File: issueFile(name), What: "a note of this name is in notes/ too, and the id means that one",
				Remedy: "rename one of them, or say private/" + note.ShowLine(note.IDOf(name))})
		}
	}
}

// checkBounds looks at what the next write would clear away, and at the number of notes.
func (c *Checked) checkBounds(ctx context.Context, p *Project) error {
	if c.Notes > noteLimit {
		c.addIssue(Issue{Kind: issueBound, What: fmt.Sprintf("%d notes are more than the %d that Blue is tested with", c.Notes, noteLimit),
			Remedy: "remove what is superseded, or give parts of the repository a project of their own with blue init"})
	}
	size, err := p.store.HistorySize(ctx)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		c.addUnreadable("history", err)
	}
	if size > store.HistoryLimit {
		c.addIssue(Issue{Kind: issueBound, File: issueFile("history"), What: fmt.Sprintf("former revisions take %d MiB, the bound is %d MiB", size>>20, store.HistoryLimit>>20),
			Remedy: "a later write removes the oldest; the first and the last one of each note stay whatever their size"})
	}
	trashed, err := p.store.Trash()
	if err != nil {
		c.addUnreadable("trash", err)
	}
	old := 0
	for _, t := range trashed {
		if p.b.o.Now().Sub(t.Time) > store.TrashAge {
			old++
		}
	}
	if old > 0 {
		c.addIssue(Issue{Kind: issueBound, File: issueFile("trash"), What: fmt.Sprintf("%s removed more than %d days ago", Plural(old, "note"), store.TrashAge/(24*time.Hour)),
			Remedy: "a later write clears them away; blue remove --restore ID brings one back before that"})
	}
	return nil
}

// issueFile returns how a finding names a file below .blue: on one line, and visible.
func issueFile(name string) string { return ".blue/" + errors.Visible(name) }
