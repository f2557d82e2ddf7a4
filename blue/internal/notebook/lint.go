package notebook

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"blue/blue/internal/git"
	"blue/blue/internal/note"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// lint checks one note.
type lint struct {
	*checker
	name string // of its file below .blue
	data []byte
}

// text reports what is wrong with the text of a note.
func (in lint) text(c *result.Checked) {
	text := string(in.data)
	n := note.ParseText(in.name, in.data)
	f := result.Issue{Wrong: true, File: result.FileBelow(in.name)}
	if !utf8.ValidString(text) {
		f.Kind, f.What, f.Remedy = result.IssueFront, "the file is not UTF-8 text", "save it as UTF-8"
		c.Add(f) // every other finding would come from the conversion
		return
	}
	if n.Problem != "" {
		line, problem := n.ProblemLine()
		f.Kind, f.Line, f.What = result.IssueFront, line, note.ShowLabel(problem, note.ProblemLimit)
		f.Remedy = "mend the lines between the two ---; until then type, title and tags count as missing"
		c.Add(f)
	}
	if line := lostFront(n); line > 0 {
		f.Kind, f.Line, f.What = result.IssueFront, line, "the body holds what was front matter"
		f.Remedy = "move it to the first line of the file, with the text above it below, or delete it"
		c.Add(f)
	}
	if n.Conflicted {
		f.Kind, f.Line, f.What = result.IssueMarkers, n.ConflictLine(), "it holds the conflict markers of a merge"
		f.Remedy = "merge the two sides, or send the whole text: blue edit " + result.ShellWord(note.IDOf(in.name)) + " --body -"
		c.Add(f)
	}
	frontLine := n.FrontLines()
	if row, _ := in.nb.index.Row(in.name); n.ConflictWith != "" && !IsSuperseded(row) {
		c.Add(result.Issue{Kind: result.IssueClash, File: f.File, Line: frontLine(note.ConflictWith), What: "it is another machine's text of the note " + note.ShowTitle(n.ConflictWith),
			Remedy: result.Clash{ID: note.ShowTitle(n.ConflictWith), With: note.ShowTitle(note.IDOf(in.name))}.Remedy()})
	}
	in.checkUID(c, n)
	lineOf := n.BodyLines()
	for _, link := range note.FindLinks(n.Body) {
		in.checkLink(c, link.ID, result.Issue{Kind: result.IssueLink, Wrong: true, File: f.File, Line: lineOf(link.At)})
	}
	if len(n.Supersedes) > 0 {
		in.checkSupersedes(n.Supersedes[:min(len(n.Supersedes), note.ListLimit)], result.Issue{Kind: result.IssueSupersedes, File: f.File, Line: frontLine("supersedes")})
	}
	for _, cited := range in.cited.check(n.Files, n.Says) {
		in.checkCited(c, cited, result.Issue{Kind: result.IssueStale, File: f.File, Line: frontLine(strings.SplitN(cited.Path, "#", 2)[0])})
	}
}

// checkUID reports a note that has the identity of another one.
func (in lint) checkUID(c *result.Checked, n note.Text) {
	key := note.ScopeOf(in.name) + "/" + n.Identity()
	if first, taken := in.uids[key]; taken {
		c.Add(result.Issue{Kind: result.IssueUID, Wrong: true, File: result.FileBelow(in.name), Line: n.FrontLines()(note.UIDKey + ":"), What: "it has the uid of " + result.FileBelow(first),
			Remedy: "if one is a copy, delete the line uid: in it; if both are one note, remove one of them"})
		return
	}
	in.uids[key] = in.name
}

// checkSupersedes reports paths that are not those of documents.
func (in lint) checkSupersedes(words []string, f result.Issue) {
	for _, word := range words {
		f.What = fmt.Sprintf("it supersedes %q, which is no document of the project", note.ShowTitle(word))
		f.Remedy = "give the path from the root of the project, or leave it out there"
		in.addFile(word, f)
	}
}

// screenNote finds secrets and hidden characters in a file. It is separate from [lint.text]
// because it takes most of the time of a check and may run concurrently for several files. The
// hidden characters of one line are one finding.
func screenNote(name string, data []byte) (found []result.Issue) {
	text, file := string(data), result.FileBelow(name)
	if !utf8.ValidString(text) {
		return nil
	}
	for _, s := range screen.Unallowed(text) {
		found = append(found, result.Issue{Kind: result.IssueSecret, Wrong: true, File: file, Line: s.Line, What: "it holds what looks like a secret: " + s.Rule,
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
		what := fmt.Sprintf("it holds the hidden character %s in column %d", s.Code, s.Column)
		if same > 1 {
			what += fmt.Sprintf(", and %d more", same-1)
		}
		found = append(found, result.Issue{Kind: result.IssueHidden, Wrong: true, File: file, Line: s.Line, What: what,
			Remedy: "delete it, or write it as text such as \\u{200B}"})
	}
	return found
}

// checkCited reports a file, or a part of one, that is no longer what was cited.
func (in lint) checkCited(c *result.Checked, cited note.Cited, f result.Issue) {
	path, _, _ := strings.Cut(cited.Path, "#")
	switch {
	case cited.Gone:
		f.What = cited.Path + " is gone"
	case cited.Changed && cited.Now != "":
		f.What = result.DescribeChange(cited, goneForGood) + ", and is now " + cited.Now
	case cited.Changed:
		f.What = result.DescribeChange(cited, goneForGood)
	case cited.Now != "" && !strings.HasPrefix(cited.Now, path+"#"):
		f.What = fmt.Sprintf("%s is now %s, unchanged", cited.Path, cited.Now)
	case cited.Hash == "" && in.cited.isMissing(cited.Path) && in.cited.isMissing(path):
		f.What = cited.Path + " does not exist, and the note has no hash of it"
		f.Remedy = "cite the file by the name that it has: blue edit " + result.ShellWord(note.IDOf(in.name)) + " --files PATH"
		c.Add(f)
		return
	default:
		return
	}
	f.Remedy = "read the note against what it cites; if it still holds: blue edit " + note.IDOf(in.name) + " --verified"
	c.Add(f)
}

// checkLink reports a link that does not lead to exactly one note. A link that may lead to a
// commit or a document is left to [checker.check].
func (in lint) checkLink(c *result.Checked, to string, f result.Issue) {
	switch ids := idsOf(in.nb.linkedNotes(to)); len(ids) {
	case 0:
		f.What = fmt.Sprintf("the link to %q leads to no note", note.ShowTitle(to))
		f.Remedy = "write that note, bring it back from the trash, or remove the link"
	case 1:
		return
	default:
		f.What = fmt.Sprintf("the link to %q fits several notes: %s, %s", note.ShowTitle(to), ids[0], ids[1])
		f.Remedy = "give the whole id of the note that is meant"
	}
	if hash, isCommit := git.ParseRef(to); isCommit {
		in.commits = append(in.commits, reference{hash, f})
	} else if !in.addFile(to, f) {
		c.Add(f)
	}
}

// addUnserved reports a file that is not served as a note. Only a file that was meant as a note
// is wrong; pictures, directories and the like do no harm.
func addUnserved(c *result.Checked, file store.File) {
	base := path.Base(file.Name)
	meant := strings.HasSuffix(strings.TrimRight(strings.ToLower(base), " ."), ".md")
	if !meant && strings.HasPrefix(base, ".") {
		return // .gitkeep, .DS_Store
	}
	f := result.Issue{Kind: result.IssueOther, Wrong: meant, File: result.FileBelow(file.Name), What: "it is not a note: " + file.Problem}
	f.Remedy = "leave it, or move it into notes/ with a name that ends in .md if it should be found"
	if meant {
		f.Kind, f.Remedy = result.IssueName, "put a regular file of at most 1 MiB in its place, or move it out of .blue"
		f.What = "it is not served: " + file.Problem
		if store.SafeName(base) != "" {
			f.Remedy = "rename the file: letters, digits, - and .md at the end are safe everywhere"
		}
	}
	c.Add(f)
}

// checkNames reports names that are one file on some systems, and names that are both in notes/
// and in private/.
func checkNames(c *result.Checked, names []string) {
	for _, group := range store.Twins(names, norm.NFC.String) {
		shown := make([]string, len(group))
		for i, name := range group {
			shown[i] = result.FileBelow(name)
		}
		c.Add(result.Issue{Kind: result.IssueTwins, Wrong: true, File: shown[1], What: "on macOS and Windows these are one file: " + strings.Join(shown, ", "),
			Remedy: "rename all but one with git mv; a clone there holds only one of them"})
	}
	public := map[string]bool{}
	for _, name := range names {
		switch base := path.Base(name); {
		case note.ScopeOf(name) == "notes":
			public[base] = true
		case public[base]:
			c.Add(result.Issue{Kind: result.IssuePair, File: result.FileBelow(name), What: "a note of this name is in notes/ too, and the id means that one",
				Remedy: "rename one of them, or say private/" + note.ShowLine(note.IDOf(name))})
		}
	}
}

// noteLimit is the number of notes that a project is tested with.
const noteLimit = 100_000

// checkBounds reports too many notes, what a later write will clear away, and a name of the
// project that replies cannot show as it is.
func (nb *Notebook) checkBounds(ctx context.Context, c *result.Checked) error {
	if c.Notes > noteLimit {
		c.Add(result.Issue{Kind: result.IssueBound, What: fmt.Sprintf("%d notes are more than the %d that Blue is tested with", c.Notes, noteLimit),
			Remedy: "remove what is superseded, or give parts of the repository a project of their own with blue init"})
	}
	history, err := nb.store.HistorySize(ctx)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		c.AddUnreadable("history", err)
	}
	if history > store.HistoryLimit {
		c.Add(result.Issue{Kind: result.IssueBound, File: result.FileBelow("history"), What: fmt.Sprintf("earlier revisions take %d MiB, more than the limit of %d MiB", history>>20, store.HistoryLimit>>20),
			Remedy: "a later write removes the oldest; the first and the last revision of each note always stay"})
	}
	if _, err := nb.store.Trash(); err != nil {
		c.AddUnreadable("trash", err)
	}
	if fault := nb.Found.NameFault; fault != "" {
		c.Add(result.Issue{Kind: result.IssueBound, File: result.FileBelow("project.yaml"), What: fmt.Sprintf("the name of the project is shown as %q: %s", nb.Found.Name, fault),
			Remedy: "give it a short name on one line, after the key name"})
	}
	nb.checkElsewhere(ctx, c)
	return nil
}

// checkElsewhere reports notes of the branch that the notebook lacks, and notes that git would
// delete with a worktree.
func (nb *Notebook) checkElsewhere(ctx context.Context, c *result.Checked) {
	if unknown, differ, known := nb.replica().Leftovers(ctx, true); len(unknown)+known > 0 {
		c.Add(result.Issue{Kind: result.IssueOther, File: ".blue/notes", What: fmt.Sprintf("%s of the commit that is checked out, from before the notebook: %d that it does not know, %d with a text that it never had here", result.Plural(len(unknown)+known, "note"), len(unknown), len(differ)),
			Remedy: "blue sync --adopt takes in what the notebook does not have; git checkout brought them, and removes them"})
	}
	if loss := nb.replica().WorktreeLoss(ctx); loss != "" {
		c.Add(result.Issue{Kind: result.IssueBound, What: loss, Remedy: "write what should stay as notes that are not private, or run: blue sync --on"})
	}
}

// Check reports what is wrong with the notes of a project. It changes nothing, and its findings
// are not an error.
func (nb *Notebook) Check(ctx context.Context) (c result.Checked, err error) {
	defer nb.NameProject(&err)
	c = result.Checked{About: nb.About(), Findings: []result.Issue{}}
	if err := nb.refresh(ctx); err != nil { // links are looked up in the index
		return c, err
	}
	var names []string
	var cited []note.Cited
	all := checker{nb: nb, cited: nb.followedFiles(), uids: map[string]string{}}
	for _, row := range nb.index.All(false) {
		cited = append(cited, ExtraOf(row).Files...)
	}
	all.cited.seek(cited)
	screened := screening{slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	for file, err := range nb.store.Files(ctx) {
		if err != nil && !nb.left.LeaveOut(file.Name, err) {
			return c, err
		}
		if err != nil {
			c.AddUnreadable(file.Name, err)
			continue
		}
		names = append(names, file.Name)
		if file.Problem != "" {
			addUnserved(&c, file)
			continue
		}
		data, _, err := nb.store.Read(file.Name)
		switch {
		case errors.Is(err, errors.NotFound):
		case err != nil:
			c.AddUnreadable(file.Name, err)
		default:
			c.Notes++
			screened.look(file.Name, data)
			lint{&all, file.Name, data}.text(&c)
		}
	}
	screened.group.Wait()
	for _, found := range screened.found {
		c.Add(found)
	}
	all.check(ctx, &c)
	checkNames(&c, names)
	if err := nb.checkBounds(ctx, &c); err != nil {
		return c, err
	}
	for i := range c.Findings {
		if below, ok := strings.CutPrefix(c.Findings[i].File, marker.Name+"/"); ok {
			c.Findings[i].File = nb.pathOf(below)
		}
	}
	c.Sort()
	return c, nil
}

// screening screens files concurrently.
type screening struct {
	slots chan struct{} // limits the files that are screened at once
	group sync.WaitGroup
	mu    sync.Mutex
	found []result.Issue
}

func (s *screening) look(name string, data []byte) {
	s.slots <- struct{}{}
	s.group.Go(func() {
		defer func() { <-s.slots }()
		found := screenNote(name, data)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.found = append(s.found, found...)
	})
}

// checker holds what one check knows about all notes: the files that they cite, and the commits
// and documents that they name.
type checker struct {
	nb             *Notebook
	cited          *citations
	uids           map[string]string // files of earlier notes, by their directory and identity
	commits, files []reference
}

// reference is a commit or a path that a note names, and the issue to report if it does not exist.
type reference struct {
	to      string
	missing result.Issue
}

// addFile records a path for [checker.check] if it may be that of a document.
func (l *checker) addFile(path string, missing result.Issue) (taken bool) {
	if taken = l.nb.mayBeDocument(path); taken {
		l.files = append(l.files, reference{path, missing})
	}
	return taken
}

// check looks up the references. A reference that cannot be checked is not reported as missing.
func (l *checker) check(ctx context.Context, c *result.Checked) {
	titles, unknown := l.nb.shelves().FindCommits(ctx, targets(l.commits))
	reportMissing(c, "commits", l.commits, titles, unknown)
	found, unknown := l.nb.shelves().FindDocuments(ctx, targets(l.files))
	reportMissing(c, "documents", l.files, found, unknown)
}

func targets(all []reference) (words []string) {
	for _, r := range all {
		words = append(words, r.to)
	}
	return words
}

// reportMissing reports the references that were not found, or why they are unknown.
func reportMissing[V any](c *result.Checked, kind string, all []reference, found map[string]V, unknown string) {
	if unknown != "" {
		c.Warnings = append(c.Warnings, "links to "+kind+" are not checked: "+unknown)
		return
	}
	for _, r := range all {
		if _, there := found[r.to]; !there {
			c.Add(r.missing)
		}
	}
}
