package page

import (
	"strings"

	"blue/blue"
	"blue/errors"
)

// view is the form. A textarea begins with a line end, which a browser drops.
func (f *form) view() safe {
	title, action, cancel := "New note", "/new", "/"
	if f.Name != "" {
		title, action, cancel = "Edit note", at("edit", f.Name), at("notes", f.Name)
	}
	save, leave := "Save", "Cancel"
	if f.Theirs != nil {
		save, leave = "Save my text", "Keep theirs"
	}
	return markup(`<h1>%s</h1>
%s%s<form class="edit" method="post" action="%s" data-name="%s">
%s%s%s%s%s<p class="actions"><button class="main">%s</button> <a class="button" id="Cancel" href="%s">%s</a></p>
</form>`, title, f.fault(), f.caution(), action, f.Name, f.was(), f.top(), f.texts(), f.bottom(), f.pardon(), save, cancel, leave)
}

func (f *form) caution() safe {
	return warning(f.Hidden > 0, "%s Lines that you leave as they are keep them.", hiddenCharacters(f.Hidden))
}

// fault says why what was written is not saved.
func (f *form) fault() (text safe) {
	switch {
	case f.Failed == nil:
		return ""
	case f.Theirs != nil:
		return `<div class="say bad" role="alert"><h2>Somebody changed this note while you wrote</h2>
<p>Nothing is lost and nothing has been overwritten. Your text is in the form below; what stands in the note now is next to it. Put them together and save, or save yours as it is: the other text stays in the history.</p></div>
`
	}
	for line := range strings.Lines(strings.TrimPrefix(f.Failed.Text(), f.Failed.Message)) {
		text += when(strings.TrimSpace(line) != "", "<p>%s</p>", line)
	}
	text += when(f.Name == "", "<p>What you wrote is still below. Saving makes a note of it.</p>")
	for _, h := range f.Failed.Hints {
		text += markup(`<p class="soft">%s</p>`, h.Text)
	}
	return markup(`<div class="say bad" role="alert"><p><strong>Not saved:</strong> %s</p>%s</div>`+"\n", f.Failed.Message, text)
}

// pardon lets the person say that what looks like a secret is none. It is asked
// only after a refusal, and holds for the one save that follows.
func (f *form) pardon() safe {
	return when(f.Failed != nil && f.Failed.Kind == errors.SecretDetected, `<p><label class="check"><input type="checkbox" name="allow_secret"> It is no secret: save the text, and mark its lines as allowed</label></p>`+"\n")
}

// was are the fields as they were shown.
func (f *form) was() safe {
	if f.Name == "" {
		return ""
	}
	text := when(true, `<textarea name="was_files" hidden>`+"\n%s</textarea>", f.Was.Files)
	for _, field := range [][2]string{{"revision", f.Revision}, {"was_title", f.Was.Title}, {"was_type", f.Was.Type}, {"was_tags", f.Was.Tags}, {"was_status", f.Was.Status}, {"was_body", f.Was.Body}} {
		text += markup(`<input type="hidden" name="%s" value="%s">`, field[0], field[1])
	}
	return text + "\n"
}

func (f *form) top() safe {
	var kinds safe
	for _, kind := range types(f.Type) {
		kinds += markup(`<option value="%s"></option>`, kind)
	}
	return markup(`<div class="fields">
<label class="grow">Title <input name="title" value="%s" maxlength="200"%s></label>
<label>Type <input name="type" value="%s" list="Types" maxlength="100"></label>
<datalist id="Types">%s</datalist>
</div>
`, f.Title, when(f.Name == "", ` placeholder="The first line, when empty"`), f.Type, kinds)
}

// texts is the text, and beside it the one that stands there now when that is not
// what the person saw.
func (f *form) texts() safe {
	mine := markup(`<textarea name="body" rows="18" spellcheck="true"%s>`+"\n%s</textarea></label>\n", when(f.Name == "", " autofocus"), f.Body)
	if f.Theirs == nil {
		return `<div class="texts"><label class="body">Text <span class="soft">Markdown; [[id]] links to a note</span>` + mine + "</div>\n"
	}
	theirs := lf(f.Theirs.Body)
	text := `<div class="texts two"><label class="body">Your text <span class="soft">Markdown; [[id]] links to a note</span>` + mine +
		markup(`<div class="body"><p id="TheirsTitle">What stands there now <span class="soft">revision %s</span></p>
<textarea readonly rows="18" aria-labelledby="TheirsTitle" id="Theirs">`+"\n%s</textarea></div>\n</div>\n", f.Theirs.Revision, theirs)
	if lines := blue.Diff(theirs, f.Body); len(lines) > 0 {
		text += markup("<details open><summary>From theirs to yours</summary>%s</details>\n", differences(lines))
	}
	return text
}

func (f *form) bottom() safe {
	last := markup(`<label class="check"><input type="checkbox" name="private"%s> Private: keep out of git</label>`, when(f.Private, " checked"))
	if f.Name != "" {
		old := f.Status == blue.Superseded
		last = markup(`<label>Status <select name="status"><option%s>active</option><option%s>superseded</option></select></label>`, when(!old, " selected"), when(old, " selected"))
	}
	return markup(`<div class="fields">
<label class="grow">Tags <input name="tags" value="%s" placeholder="separated by commas"></label>
%s
</div>
<label>Files it is about <span class="soft">one a line, from the top of the project</span>
<textarea name="files" rows="2" class="code" spellcheck="false">`+"\n%s</textarea></label>\n", f.Tags, last, f.Files)
}
