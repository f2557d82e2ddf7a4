package cli

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/setup"
	"blue/blue/transfer"
)

// project returns the current project, or nil.
func (t *typed) project(ctx context.Context) *blue.Project {
	cwd, given := t.flags["cwd"]
	if rest, ok := strings.CutPrefix(cwd, "~"); ok && (rest == "" || rest[0] == '/') { // not yet expanded by the shell
		cwd = t.door.b.Env("HOME") + rest
	}
	call := t.door.callFrom(cwd, given)
	call.Log = slog.New(slog.DiscardHandler)
	p, err := t.door.b.Open(ctx, call)
	if err != nil {
		return nil
	}
	return p
}

// given reports whether a flag has been given.
func (t *typed) given(name string) bool {
	_, ok := t.flags[name]
	return ok
}

// offer returns the candidates for the last word.
func (t *typed) offer(ctx context.Context) (kind string, choices []blue.Choice) {
	switch {
	case t.flag != "":
		return t.value(ctx)
	case strings.HasPrefix(t.last, "-") && !t.ended:
		return "words", t.unset()
	case t.command.Name == "":
		return "words", t.commands()
	}
	return t.argument(ctx)
}

func (t *typed) commands() (choices []blue.Choice) {
	for _, c := range t.app.VisibleCommands() {
		choices = append(choices, blue.Choice{Word: c.Name, Means: c.Usage})
	}
	return append(choices, blue.Choice{Word: "help", Means: "say what a command takes"})
}

// unset returns the flags that may still be given.
func (t *typed) unset() (choices []blue.Choice) {
	for _, f := range t.command.Flags {
		name := f.Names()[0]
		_, usage := describeFlag(f)
		_, again := f.(*cli.StringSliceFlag)
		if _, generic := f.(*cli.GenericFlag); again || generic || !t.given(name) {
			choices = append(choices, blue.Choice{Word: "--" + name, Means: usage})
		}
	}
	return append(choices, blue.Choice{Word: "--help", Means: "show help"})
}

// value returns the candidates for a flag's value.
func (t *typed) value(ctx context.Context) (kind string, choices []blue.Choice) {
	switch t.flag {
	case "project", "projects", "forget":
		if t.command.Name != "mcp" {
			return "words", t.knownProjects()
		}
		return "dirs", nil
	case "cwd", "allow-root", "plugin":
		return "dirs", nil
	case "output", "files":
		return "files", nil
	case "supersedes":
		return "words", t.notes(ctx)
	case "revision", "restore":
		return "words", t.revisions(ctx)
	case "tags", "type":
		return "words", t.wordsInUse(ctx)
	}
	words, own := flagValues[t.command.Name+" "+t.flag]
	if !own {
		words = flagValues[t.flag]
	}
	return "words", choicesOf(words)
}

func choicesOf(words []string) (choices []blue.Choice) {
	for _, word := range words {
		choices = append(choices, blue.Choice{Word: word})
	}
	return choices
}

// knownProjects returns the names or roots of the projects that a search may include.
func (t *typed) knownProjects() (choices []blue.Choice) {
	for _, p := range t.door.b.KnownProjects() {
		choice := blue.Choice{Word: p.Name, Means: p.Root}
		if t.flag == "forget" {
			choice = blue.Choice{Word: p.Root, Means: p.Name}
		}
		choices = append(choices, choice)
	}
	return choices
}

// flagValues returns the fixed values of a flag.
var flagValues = map[string][]string{
	"sort":   {"newest", "title"},
	"status": blue.Statuses(),
	"scope":  {"project", "user"},
	"format": {"okf", "json", "html"},
	"since":  {"24h", "7d", "30d"},

	"setup http": {"running"},
	"setup only": {"mcp", "hooks", "instructions"},
}

// argument returns the candidates for the next argument.
func (t *typed) argument(ctx context.Context) (kind string, choices []blue.Choice) {
	first := len(t.words) == 0
	switch name := t.command.Name; {
	case name == "read" || name == "path":
		return "words", t.notes(ctx)
	case name == "remove" && t.given("restore") && first:
		return "words", t.trashed(ctx)
	case slices.Contains([]string{"history", "log", "diff", "restore"}, name) && first:
		return "words", append(t.notes(ctx), t.trashed(ctx)...)
	case slices.Contains([]string{"edit", "remove", "mv", "open"}, name) && first:
		return "words", t.notes(ctx)
	case name == "diff" && len(t.words) == 1:
		return "words", append(t.revisions(ctx), t.notes(ctx)...)
	case name == "restore" && len(t.words) == 1, name == "diff" && len(t.words) < 3:
		return "words", t.revisions(ctx)
	case name == "resolve" && first:
		return "words", t.conflicts(ctx)
	case (name == "setup" || name == "doctor") && first:
		return "words", setup.ClientChoices()
	case name == "completion" && first:
		return "words", shellNames
	case name == "import" && first:
		return "words", choicesOf(transfer.Sources())
	case name == "import" && len(t.words) == 1:
		return "files", nil
	case (name == "init" || name == "trust") && first:
		return "dirs", nil
	}
	return "words", nil
}

// notes returns the ids that begin with the last word, without those already named.
func (t *typed) notes(ctx context.Context) []blue.Choice {
	p := t.project(ctx)
	if p == nil {
		return nil
	}
	return slices.DeleteFunc(p.Notes(ctx, t.last, t.shell != "bash"), func(c blue.Choice) bool { return slices.Contains(t.words, c.Word) })
}

// conflicts returns the ids of notes in conflict.
func (t *typed) conflicts(ctx context.Context) (choices []blue.Choice) {
	p := t.project(ctx)
	if p == nil {
		return nil
	}
	open, _ := p.Conflicts(ctx)
	for _, c := range open {
		choices = append(choices, blue.Choice{Word: c.ID, Means: "in conflict with " + c.With}, blue.Choice{Word: c.With, Means: "another machine's text of " + c.ID})
	}
	return choices
}

// wordsInUse returns the tags or types of the project's notes. In a comma-separated list of tags
// the last is completed.
func (t *typed) wordsInUse(ctx context.Context) (choices []blue.Choice) {
	p := t.project(ctx)
	switch {
	case p == nil && t.flag == "type":
		return choicesOf(blue.NoteTypes())
	case p == nil:
	case t.flag == "type":
		return p.KnownTypes(ctx, t.last)
	default:
		done := t.last[:strings.LastIndexByte(t.last, ',')+1]
		for _, c := range p.KnownTags(ctx, t.last[len(done):]) {
			choices = append(choices, blue.Choice{Word: done + c.Word, Means: c.Means})
		}
	}
	return choices
}

func (t *typed) trashed(ctx context.Context) (choices []blue.Choice) {
	p := t.project(ctx)
	if p == nil {
		return nil
	}
	trash, _ := p.Trash(ctx)
	for _, n := range trash.Notes {
		if strings.HasPrefix(n.ID, t.last) && !n.Older {
			choices = append(choices, blue.Choice{Word: n.ID, Means: "in the trash since " + n.Removed})
		}
	}
	return choices
}

// revisions returns the revisions of the note that the line names.
func (t *typed) revisions(ctx context.Context) []blue.Choice {
	if p := t.project(ctx); p != nil && len(t.words) > 0 {
		return p.Revisions(ctx, t.words[0], t.last)
	}
	return nil
}
