package setup

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"blue/blue"
	"blue/blue/token"
	"blue/errors"
	"blue/marker"
	"blue/marker/mount"
)

// examineProject looks at the marker, the files and the index of a
// project, and whether it is trusted.
func (m Machine) examineProject(ctx context.Context, found marker.Found) []Finding {
	p := Finding{Matter: "project", State: fine, Text: fmt.Sprintf("%s at %s (source: %s)", found.Name, found.Root, found.Source)}
	all := []Finding{p}
	for _, w := range found.Warnings {
		all = append(all, Finding{"project", mend, w, "mend that file in an editor"})
	}
	dir := filepath.Join(found.Root, marker.Name)
	all = append(all, examineDirectory("marker", dir, 0o002))
	for _, name := range []string{"notes", "private", "history", "trash"} {
		if f := examineDirectory(name, filepath.Join(found.Notes.Dir(), name), 0o002); f.State != fine {
			all = append(all, f)
		}
	}
	h := m.Blue.Health(ctx, found)
	all = append(all, noteFinding(h), examineDirectory("index", h.Index, 0o002))
	switch {
	case h.Synced != "":
		all = append(all, Finding{"sync", fine, "on " + h.Travels + ", the last one ended well at " + h.Synced, ""})
	case found.Notebook:
		all = append(all, Finding{"sync", remark, "the notes are to travel on " + h.Travels + ", and have not from here", "blue sync"})
	}
	if !h.Trusted {
		all = append(all, Finding{"trust", remark, "the project is not trusted: agents are told none of its notes unasked", "blue trust"})
	}
	for _, other := range h.Twins {
		all = append(all, Finding{"project", remark, "the project at " + other + " has the same id; trust, syncs and indexes are of each alone", "if they are different projects, change the id in .blue/project.yaml of one"})
	}
	return all
}

// noteFinding tells what the store makes of the files.
func noteFinding(h blue.Health) Finding {
	switch {
	case h.Fault != nil:
		return Finding{"notes", mend, errors.Of(h.Fault).Message, firstRemedy(h.Fault)}
	case h.Unserved > 0:
		return Finding{"notes", remark, fmt.Sprintf("%s, and %s that cannot be served", blue.Plural(h.Notes, "note"), blue.Plural(h.Unserved, "file")), "see which and why: blue check"}
	}
	return Finding{"notes", fine, blue.Plural(h.Notes, "note"), ""}
}

// examineOwn looks at the user's own files and the surroundings.
func (m Machine) examineOwn(urls, dead []string) []Finding {
	all := []Finding{
		examineDirectory("config", m.Blue.Directory("config"), 0o022), examineDirectory("state", m.Blue.Directory("state"), 0o022),
		examineDirectory("cache", m.Blue.Directory("cache"), 0o002), m.examineToken(),
	}
	if w := m.Blue.TrustWarning(); w != "" {
		all = append(all, Finding{"trust", mend, w, "mend or remove that file; blue trust makes a new one"})
	}
	if m.Blue.Env("MCPGODEBUG") != "" {
		all = append(all, Finding{"MCPGODEBUG", mend, "is set, and changes how the MCP library behaves", "unset it where clients and servers are started"})
	}
	for _, url := range urls {
		all = append(all, Finding{"server", fine, "runs on " + withoutSecrets(url), ""})
	}
	for _, path := range dead {
		all = append(all, Finding{"server", remark, "the one of " + path + " does not answer", "when it is gone, that file may go too"})
	}
	return all
}

// examineToken looks at the token file as a server does; it shows no token.
func (m Machine) examineToken() Finding {
	path := m.Blue.TokenFile()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return Finding{"token", fine, path + " is not there yet; blue mcp --http makes it", ""}
	}
	if _, _, err := token.Read(path); err != nil {
		return Finding{"token", mend, errors.Of(err).Message, firstRemedy(err)}
	}
	return Finding{"token", fine, path, ""}
}

// examineDirectory looks at one that Blue writes in, or will make. Nobody whom the mask
// names may write there too.
func examineDirectory(matter, dir string, mask fs.FileMode) Finding {
	err := mount.Check(dir)
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(dir)
	}
	f := Finding{Matter: matter, State: mend}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return examineMissing(matter, dir)
	case err != nil:
		f.Text, f.Remedy = err.Error(), "make the directories above it yours to enter"
	case !info.IsDir():
		f.Text, f.Remedy = dir+" is not a directory", "move it away"
	case !writable(dir):
		f.Text, f.Remedy = "you cannot read and write in "+dir, "chmod u+rwx "+dir+", or have its owner give it to you"
	case runtime.GOOS != "windows" && info.Mode().Perm()&mask != 0:
		f.Text, f.Remedy = "others can write in "+dir, "chmod go-w "+dir
	default:
		f.State, f.Text = fine, dir
	}
	return f
}

// examineMissing looks at the nearest directory above one that does not exist.
func examineMissing(matter, dir string) Finding {
	above := filepath.Dir(dir)
	for above != filepath.Dir(above) {
		if _, err := os.Stat(above); err == nil {
			break
		}
		above = filepath.Dir(above)
	}
	if !writable(above) {
		return Finding{matter, mend, dir + " cannot be made: you cannot write in " + above, "make it yourself, or have " + above + " opened to you"}
	}
	return Finding{matter, fine, dir + " is made when it is needed", ""}
}
