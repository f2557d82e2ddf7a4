package page

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"blue/blue"
)

// noteNamed returns the id of the note that a path names, with the prefix private/ where that is
// needed to tell two notes apart.
func noteNamed(r *http.Request) string { return strings.TrimSuffix(r.PathValue("file"), ".html") }

// pathOf returns the path of a view of a note.
func pathOf(view, id string) string {
	path := "/" + view + "/" + url.PathEscape(id)
	if view == "notes" {
		path += ".html"
	}
	return path
}

// documentPath returns the path of a section of a document or of a directory of documents, whose
// name is empty or ends with a slash.
func documentPath(name, anchor string) string {
	u := url.URL{Path: "/documents/" + name, Fragment: anchor}
	return u.String()
}

// besidePath returns the path of a document or commit in search results.
func besidePath(b blue.Beside) string {
	if b.Path != "" {
		return documentPath(b.Path, b.Anchor)
	}
	return pathOf("notes", b.Ref)
}

// parentPath returns the parent directory of a path, or "" for the top.
func parentPath(name string) string {
	return strings.TrimPrefix(path.Dir(strings.TrimSuffix(name, "/"))+"/", "./")
}

// qualifiedID returns the id of a note as it stands in URLs.
func qualifiedID(id string, private bool) string {
	if private {
		return "private/" + id
	}
	return id
}

// pathWritten returns the path of the note in the named file.
func pathWritten(id, file string) string {
	return pathOf("notes", qualifiedID(id, strings.Contains("/"+file, "/private/")))
}
