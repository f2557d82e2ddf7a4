package result

import "strings"

// Documents is a directory of documents, with as many levels below it as there is room for.
type Documents struct {
	About
	Directory
	Before, Behind int    // entries of the directory that are not listed
	LeftOut        string // what is no document though its name looks so, of the whole project
	Missing        string // why there are none
}

// Directory is a directory that holds documents, itself or further down.
type Directory struct {
	Path, Name  string // from the top of the project, and as it is safe to show; empty for the top
	Count       int    // documents in it and below
	Listed      bool   // what it holds stands here
	Open        bool   // and is little
	Directories []*Directory
	Documents   []DocumentRow
}

// DocumentRow is a document in its directory.
type DocumentRow struct {
	Path   string // from the top of the project
	Name   string // of the file, as it is safe to show
	Title  string
	Status string // as that of [Document]
}

// Document is a document as it is read. All but its path is safe to show.
type Document struct {
	About
	Path, Name string // from the top of the project, and as it is safe to show
	Title      string
	Status     string // such as accepted; empty when it says none that is known
	By         string // id of the note that replaces it
	Date       string // of the last commit that changed it, empty when unknown
	Markdown   bool
	Front      string // its front matter
	Parts      []Part // the text behind that
	Hidden     int    // characters that are shown as \u{…}
}

// Part is the text of a document from one heading to the next.
type Part struct {
	Heading, Anchor string // empty for what stands before the first heading
	Text            string
}

// Body is the text of the document behind its front matter.
func (d Document) Body() string {
	var b strings.Builder
	for _, part := range d.Parts {
		b.WriteString(part.Text)
	}
	return b.String()
}
