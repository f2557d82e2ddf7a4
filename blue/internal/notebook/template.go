package notebook

import (
	"os"
	"path"
	"slices"
	"strings"

	"blue/blue/internal/git"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// templateDir is the directory of a project's own templates, relative to its root.
const templateDir = marker.Name + "/templates"

// templatesMost is the maximum number of files in it that are listed.
const templatesMost = 100

// builtIn are the templates for projects that have none of that name.
var builtIn = []struct{ name, body string }{
	{note.TypeDecision, "## Context\n\n\n## Decision\n\n\n## Why not otherwise\n\n\n## Consequences\n\n"},
	{note.TypeCheckpoint, "## Done\n\n- \n\n## Open\n\n- \n\n## Next step\n\n- \n"},
	{note.TypeRemedy, "## Symptom\n\n\n## Cause\n\n\n## Remedy\n\n\n## How to see that it holds\n\n"},
	{note.TypeSkill, "## When\n\n\n## Steps\n\n1. \n\n## Pitfalls\n\n"},
	{"reference", "## What it is\n\n\n## Where it is used\n\n\n## See also\n\n"},
}

// Skeleton returns the text that a person completes in an editor, made of d and a template: the
// file of that name in .blue/templates, or a built-in one. A clone may bring any file, so it is
// read within the project alone, as far as the body of a note may go, and without hidden
// characters.
func (nb *Notebook) Skeleton(name string, d Draft) (text string, err error) {
	defer nb.NameProject(&err)
	text, err = nb.template(name)
	if err != nil {
		return "", err
	}
	t, err := d.Completed(text)
	if err != nil {
		e := *errors.Of(err)
		e.Hints = nil
		return "", e.Hint("", "", "mend "+errors.Visible(path.Join(templateDir, name+".md")))
	}
	front := note.ParseText("", []byte(text))
	keys, _ := front.Segments()
	if !slices.ContainsFunc(keys, func(k note.KeyLines) bool { return k.Key == "type" }) {
		t.Type = name
	}
	if d.Type != "" {
		t.Type = d.Type
	}
	if d.Title != "" {
		t.Title = d.Title
	}
	if len(keys) > 0 {
		t.Tags, t.Files = append(t.Tags, d.Tags...), append(t.Files, d.Files...)
		t.Supersedes = append(t.Supersedes, d.Supersedes...)
	}
	return t.Template() + strings.TrimLeft(t.Body, "\n"), nil
}

// template returns the text of a template.
func (nb *Notebook) template(name string) (text string, err error) {
	if store.SafeName(name+".md") == "" {
		file := path.Join(templateDir, name+".md")
		if data, ok := git.ReadFile(nb.Found.Root, file, note.BodyLimit); ok {
			text := strings.ReplaceAll(strings.ToValidUTF8(string(data), "\uFFFD"), "\r\n", "\n")
			return note.ShowHidden(text), nil
		}
		if !git.IsMissing(nb.Found.Root, file) {
			return "", errors.E(errors.Invalid, "the template %s cannot be used", errors.Quote(file)).
				Hint("", "", "it must be a file in the project that can be read, of at most the size of a note")
		}
	}
	for _, t := range builtIn {
		if t.name == name {
			return t.body, nil
		}
	}
	var known []string
	for _, t := range nb.Templates() {
		known = append(known, t.Word)
	}
	e := errors.Usage("there is no template %s", errors.Quote(name))
	if near := errors.Near(name, known...); len(near) > 0 {
		e.Hint("", "", "did you mean "+errors.List(errors.Lines(near, 3, note.WordLimit), 3)+"?")
	}
	return "", e.Hint("", "", "there is "+errors.List(errors.Lines(known, len(known), note.WordLimit), 12)+
		"; a file in "+templateDir+"/ adds one of its name")
}

// Templates lists the names of the templates, those of the project first.
func (nb *Notebook) Templates() (all []Choice) {
	names := map[string]bool{}
	add := func(name, means string) {
		if !names[name] {
			names[name] = true
			all = append(all, Choice{Word: name, Means: means})
		}
	}
	for _, file := range nb.templateFiles() {
		if name, ok := strings.CutSuffix(file, ".md"); ok && store.SafeName(file) == "" {
			add(name, templateDir+"/"+file)
		}
	}
	for _, t := range builtIn {
		add(t.name, "built in")
	}
	return all
}

// templateFiles lists the directory of the project's templates, if it lies in the project.
func (nb *Notebook) templateFiles() []string {
	if nb.Found.Root == "" || marker.CheckMount(nb.Found.Root) != nil {
		return nil
	}
	root, err := os.OpenRoot(nb.Found.Root)
	if err != nil {
		return nil
	}
	defer root.Close()
	dir, err := root.Open(templateDir)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(templatesMost) // a directory that cannot be read has no templates
	slices.Sort(names)
	return names
}
