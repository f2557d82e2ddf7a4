package page

import (
	"net/http"
	"net/url"
	"strings"
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

// qualifiedID is the id by which a page names a note.
func qualifiedID(id string, private bool) string {
	if private {
		return "private/" + id
	}
	return id
}

// pathWritten is the path of a note that lies in the file.
func pathWritten(id, file string) string {
	return pathOf("notes", qualifiedID(id, strings.HasPrefix(file, ".blue/private/")))
}
