package site

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/url"
	"strings"
)

// safe is text in HTML, made by [markup] or by goldmark.
type safe string

// markup puts values into HTML, each escaped unless it is HTML itself. Formats
// have attributes in double quotes.
func markup(format string, values ...any) safe {
	for i, value := range values {
		if text, ok := value.(string); ok {
			values[i] = html.EscapeString(text)
		}
	}
	return safe(fmt.Sprintf(format, values...))
}

const frame = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="referrer" content="no-referrer" />
<title>%s</title>
<style>%s</style>
</head>
<body>
<a class="skip" href="#Main">Skip to the text</a>
%s<main id="Main">
%s</main>
</body>
</html>
`

// write writes a page. The way to the top of the site is empty for the first one.
func (s *Site) write(w io.Writer, title, top string, main safe) error {
	header := safe("")
	if top != "" {
		title += " - " + s.project
		header = markup("<header><nav aria-label=\"Site\"><a href=\"%s\">%s</a></nav></header>\n", ref(top, "index.html"), s.project)
	}
	sum := sha256.Sum256([]byte(style))
	_, err := io.WriteString(w, string(markup(frame, safe(base64.StdEncoding.EncodeToString(sum[:])), title, safe(style), header, main)))
	return err
}

// ref is a file of the site as a link.
func ref(top, file string) string {
	parts := strings.Split(file, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return top + strings.Join(parts, "/")
}

// list is a list of notes.
func list(top string, notes []Entry) safe {
	var b strings.Builder
	for _, n := range notes {
		line := markup("<li><a href=\"%s\">%s</a>", ref(top, File(n.ID)), n.Title)
		if n.Status == "superseded" {
			line += " <span class=\"soft\">superseded</span>"
		}
		if n.Day != "" {
			line += markup(" <span class=\"soft\">%s</span>", n.Day)
		}
		b.WriteString(string(line + "</li>\n"))
	}
	return "<ul class=\"notes\">\n" + safe(b.String()) + "</ul>\n"
}

// links is a list of links on the page of a note.
func links(to []Link) (text safe) {
	for _, l := range to {
		switch {
		case l.Missing:
			text += markup("<li>%s <span class=\"soft\">(not here)</span></li>\n", l.ID)
		default:
			text += markup("<li><a href=\"%s\">%s</a></li>\n", ref("../", File(l.ID)), l.Title)
		}
	}
	return "<ul class=\"notes\">\n" + text + "</ul>\n"
}

// facts are what is said of a note beside its text.
func (s *Site) facts(n Note) safe {
	text := markup("<dl>\n<dt>Type</dt><dd>%s</dd>\n", n.Type)
	fact := func(name, value string) {
		if value != "" {
			text += markup("<dt>%s</dt><dd>%s</dd>\n", name, value)
		}
	}
	fact("Made", n.Day)
	fact("Author", n.Author)
	if n.Status != "active" {
		fact("Status", n.Status)
	}
	fact("Problem", n.Problem)
	if len(n.Tags) > 0 {
		text += "<dt>Tags</dt><dd>"
		for i, tag := range n.Tags {
			text += markup("%s<a href=\"%s\">%s</a>", comma(i), ref("../", s.TagFile(tag)), tag)
		}
		text += "</dd>\n"
	}
	if len(n.Files) > 0 {
		text += "<dt>Files</dt><dd>"
		for i, file := range n.Files {
			text += markup("%s<code>%s</code>", comma(i), file)
		}
		text += "</dd>\n"
	}
	return text + "</dl>\n"
}

func comma(i int) safe {
	if i == 0 {
		return ""
	}
	return ", "
}
