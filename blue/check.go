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
	FlawName    = "name"    // a note that no reader is served, for its name or what it is
	FlawTwins   = "twins"   // names that are one file on macOS or Windows
	FlawFront   = "front"   // front matter that cannot be used, text that is not UTF-8
	FlawMarkers = "markers" // conflict markers of a merge
	FlawSecret  = "secret"
	FlawHidden  = "hidden"
	FlawLink    = "link" // leads to no note, or to several

	FlawStale = "stale" // a cited file has changed
	FlawOther = "other" // a file or directory among the notes that is none
	FlawPair  = "pair"  // one name in notes/ and private/
	FlawBound = "bound" // trash, history or number of notes beyond a limit
)

// noteLimit is how many notes a project is tested with.
const noteLimit = 100_000

// Flaw is one thing that a check found.
type Flaw struct {
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
	Notes    int    `json:"notes"` // that were read
	Wrong    int    `json:"wrong"` // findings that are no hints
	Findings []Flaw `json:"findings"`
	More     int    `json:"more,omitempty"` // findings beyond those that are named

	hints int
}

// flawsNamed is how many findings of each group are named.
const flawsNamed = 1000

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
	c = Checked{About: p.About(), Findings: []Flaw{}}
	if err := p.sync(ctx); err != nil { // links are looked up in the index
		return c, err
	}
	var names []string
	for file, err := range p.store.Files(ctx) {
		if err != nil && !p.leave(file.Name, err) {
			return c, err
		}
		if err != nil {
			c.unreadable(file.Name, err)
			continue
		}
		names = append(names, file.Name)
		if file.Problem != "" {
			c.unserved(file)
			continue
		}
		data, _, err := p.store.Read(file.Name)
		switch {
		case errors.Is(err, errors.NotFound):
		case err != nil:
			c.unreadable(file.Name, err)
		default:
			c.Notes++
			c.note(p, file.Name, data)
		}
	}
	c.names(names)
	c.project(p)
	if err := c.bounds(ctx, p); err != nil {
		return c, err
	}
	c.sort()
	return c, nil
}

// unreadable names what cannot be read.
func (c *Checked) unreadable(name string, err error) {
	c.add(Flaw{Kind: FlawName, Wrong: true, File: filed(name), What: errors.Of(err).Message, Remedy: "look at its owner, its permissions and the disk"})
}

func (c *Checked) add(f Flaw) {
	count := &c.hints
	if f.Wrong {
		count = &c.Wrong
	}
	if *count++; *count > flawsNamed {
		c.More++
		return
	}
	c.Findings = append(c.Findings, f)
}

// sort puts findings in the order of files and lines, those of the project last.
func (c *Checked) sort() {
	slices.SortStableFunc(c.Findings, func(a, b Flaw) int {
		if (a.File == "") != (b.File == "") {
			return cmp.Compare(b.File, a.File)
		}
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
}

// unserved names a file that no reader is served. Only what was meant as a note is
// wrong: pictures, directories and the like are nobody's loss.
func (c *Checked) unserved(file store.File) {
	base := path.Base(file.Name)
	meant := strings.HasSuffix(strings.TrimRight(strings.ToLower(base), " ."), ".md")
	if !meant && strings.HasPrefix(base, ".") {
		return // .gitkeep, .DS_Store
	}
	f := Flaw{Kind: FlawOther, Wrong: meant, File: filed(file.Name), What: "it is no note and not served: " + file.Problem}
	f.Remedy = "nothing, unless it should be found: then make a file in notes/ itself that ends in .md"
	if meant {
		f.Kind, f.Remedy = FlawName, "put a regular file of at most 1 MiB in its place, or move it out of .blue"
		f.What = "it is not served: " + file.Problem
		if store.SafeName(base) != "" {
			f.Remedy = "rename the file: letters, digits, - and .md at the end are safe everywhere"
		}
	}
	c.add(f)
}

// project finds a name that replies cannot show as it stands.
func (c *Checked) project(p *Project) {
	if fault := p.found.NameFault; fault != "" {
		c.add(Flaw{Kind: FlawBound, File: filed("project.yaml"), What: fmt.Sprintf("the name of the project is shown as %q: %s", p.found.Name, fault),
			Remedy: "give it a short name on one line, after the key name"})
	}
}

// names finds twins, and pairs of notes/ and private/.
func (c *Checked) names(names []string) {
	for _, group := range store.Twins(names, norm.NFC.String) {
		shown := make([]string, len(group))
		for i, name := range group {
			shown[i] = filed(name)
		}
		c.add(Flaw{Kind: FlawTwins, Wrong: true, File: shown[1], What: "on macOS and Windows these are one file: " + strings.Join(shown, ", "),
			Remedy: "rename all but one with git mv; a clone there holds only one of them"})
	}
	public := map[string]bool{}
	for _, name := range names {
		switch base := path.Base(name); {
		case note.ScopeOf(name) == "notes":
			public[base] = true
		case public[base]:
			c.add(Flaw{Kind: FlawPair, File: filed(name), What: "a note of this name is in notes/ too, and the id means that one",
				Remedy: "rename one of them, or say private/" + note.ShowLine(note.IDOf(name))})
		}
	}
}

// bounds looks at what the next write would clear away, and at the number of notes.
func (c *Checked) bounds(ctx context.Context, p *Project) error {
	if c.Notes > noteLimit {
		c.add(Flaw{Kind: FlawBound, What: fmt.Sprintf("%d notes are more than the %d that Blue is tested with", c.Notes, noteLimit),
			Remedy: "remove what is superseded, or give parts of the repository a project of their own with blue init"})
	}
	size, err := p.store.HistorySize(ctx)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		c.unreadable("history", err)
	}
	if size > store.HistoryLimit {
		c.add(Flaw{Kind: FlawBound, File: filed("history"), What: fmt.Sprintf("former revisions take %d MiB, the bound is %d MiB", size>>20, store.HistoryLimit>>20),
			Remedy: "a later write removes the oldest; the first and the last one of each note stay whatever their size"})
	}
	trashed, err := p.store.Trash()
	if err != nil {
		c.unreadable("trash", err)
	}
	old := 0
	for _, t := range trashed {
		if p.b.o.Now().Sub(t.Time) > store.TrashAge {
			old++
		}
	}
	if old > 0 {
		c.add(Flaw{Kind: FlawBound, File: filed("trash"), What: fmt.Sprintf("%s removed more than %d days ago", Plural(old, "note"), store.TrashAge/(24*time.Hour)),
			Remedy: "a later write clears them away; blue remove --restore ID brings one back before that"})
	}
	return nil
}

// filed is how a finding names a file below .blue: on one line, and visible.
func filed(name string) string { return ".blue/" + errors.Visible(name) }
