package page

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"blue/blue"
)

// noteNamed is the note that a path names: its id, with private/ before it where that is
// needed to tell it from another one.
func noteNamed(r *http.Request) string { return strings.TrimSuffix(r.PathValue("file"), ".html") }

// pathOf is the path of a view of a note.
func pathOf(view, id string) string {
	path := "/" + view + "/" + url.PathEscape(id)
	if view == "notes" {
		path += ".html"
	}
	return path
}

// documentPath is the path of a document, at one of its sections, or of a directory of documents,
// whose name is empty or ends with a slash.
func documentPath(name, anchor string) string {
	u := url.URL{Path: "/documents/" + name, Fragment: anchor}
	return u.String()
}

// besidePath is the path of a document or commit that a search found.
func besidePath(b blue.Beside) string {
	if b.Path != "" {
		return documentPath(b.Path, b.Anchor)
	}
	return pathOf("notes", b.Ref)
}

// parentPath is the directory that a document or a directory lies in, empty for the top.
func parentPath(name string) string {
	return strings.TrimPrefix(path.Dir(strings.TrimSuffix(name, "/"))+"/", "./")
}

// qualifiedID is the id by which a page names a note.
func qualifiedID(id string, private bool) string {
	if private {
		return "private/" + id
	}
	return id
}

// pathWritten is the path of a note that lies in the file.
func pathWritten(id, file string) string {
	return pathOf("notes", qualifiedID(id, strings.Contains("/"+file, "/private/")))
}
