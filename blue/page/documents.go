package page

import (
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"blue/blue"
	"blue/blue/transfer"
)

// documentsView shows a directory of the project's documents.
type documentsView struct{ blue.Documents }

// Next is the offset of the first entry that is not listed.
func (v documentsView) Next() int { return v.Before + len(v.Directories) + len(v.Directory.Documents) }

// documentView shows one document.
type documentView struct {
	blue.Document
	Anchor string        // the title's anchor
	Prose  template.HTML // empty if the text is shown verbatim
}

// documents shows a document or a directory of documents. The path of a directory is empty or ends
// with a slash.
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
		if v.Prose != "" && part.Heading == d.Title { // the page shows the title above the text
			v.Anchor = part.Anchor
			break
		}
	}
	return screen{view: "document", title: d.Title, main: v}, err
}
