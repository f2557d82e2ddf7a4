package page

import (
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"blue/blue"
	"blue/blue/transfer"
)

// documentsView is a directory of the documents of the project.
type documentsView struct{ blue.Documents }

// Next counts the entries of the directory up to the last that is listed.
func (v documentsView) Next() int { return v.Before + len(v.Directories) + len(v.Directory.Documents) }

// documentView is one document.
type documentView struct {
	blue.Document
	Anchor string        // of its title
	Prose  template.HTML // empty for a text that is shown as it is
}

// documents shows a document, or a directory of documents, whose path is empty or ends with a
// slash.
func (s *server) documents(r *http.Request, p *blue.Project) (screen, error) {
	name := r.PathValue("path")
	if name != "" && !strings.HasSuffix(name, "/") {
		return showDocument(r, p, name)
	}
	skip, _ := strconv.Atoi(r.URL.Query().Get("skip"))
	found, err := p.ListDocuments(r.Context(), name, skip)
	return screen{view: "documents", title: "Documents", main: documentsView{found}}, err
}

func showDocument(r *http.Request, p *blue.Project, name string) (screen, error) {
	d, err := p.ReadDocument(r.Context(), name)
	if err != nil {
		return screen{}, err
	}
	v := documentView{Document: d}
	v.Prose, err = transfer.DocumentHTML(p, d, documentPath)
	for _, part := range d.Parts {
		if v.Prose != "" && part.Heading == d.Title { // which the text does not repeat
			v.Anchor = part.Anchor
			break
		}
	}
	return screen{view: "document", title: d.Title, main: v}, err
}
