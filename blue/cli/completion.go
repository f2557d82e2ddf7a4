package cli

import (
	"context"
	"embed"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/setup"
	"blue/blue/transfer"
	"blue/errors"
)

// shells holds the completion scripts, which call `blue __complete`.
//
//go:embed shells/*
var shells embed.FS

// shellNames lists the supported shells.
var shellNames = []blue.Choice{{Word: "bash"}, {Word: "zsh"}, {Word: "fish"}, {Word: "powershell", Means: "Windows PowerShell and PowerShell 7"}}

func (d *door) completion() *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print a script by which your shell completes commands, flags and note ids", ArgsUsage: "SHELL",
		Description: "SHELL is bash, zsh, fish or powershell. To complete in every new shell:\n\n" +
			"bash        echo 'source <(blue completion bash)' >>~/.bashrc\n" +
			"zsh         echo 'source <(blue completion zsh)' >>~/.zshrc (after compinit)\n" +
			"fish        blue completion fish >~/.config/fish/completions/blue.fish\n" +
			"powershell  add to $PROFILE: blue completion powershell | Out-String | Invoke-Expression",
		Action: func(c *cli.Context) error {
			shell, err := oneArgument(c, "SHELL")
			if err != nil {
				return err
			}
			script, err := shells.ReadFile("shells/blue." + shell)
			if err != nil {
				return errors.Usage("there is no completion for the shell %q", shell).Hint("", "", "there is one for bash, zsh, fish and powershell")
			}
			_, err = d.out.Write(script)
			return err
		},
	}
}

// patience is the time limit of a completion.
const patience = 2 * time.Second

// completing returns the hidden command `blue __complete SHELL WORD...`, which completes the last
// word. The first line of its output is `words`, `files` or `dirs`. Each further line is a
// candidate, optionally followed by a tab and its description. The command never fails and changes
// nothing.
func (d *door) completing() *cli.Command {
	return &cli.Command{
		Name: "__complete", Hidden: true, SkipFlagParsing: true,
		Action: func(c *cli.Context) error {
			if c.NArg() < 2 {
				return nil
			}
			ctx, stop := context.WithTimeout(c.Context, patience)
			defer stop()
			t := d.typed(c.App, c.Args().First(), c.Args().Tail())
			kind, choices := t.offer(ctx)
			fmt.Fprintln(d.out, kind)
			for _, choice := range choices {
				if strings.HasPrefix(choice.Word, t.last) {
					_, _ = io.WriteString(d.out, t.spelled(choice)) // the shell may be gone
				}
			}
			return nil
		},
	}
}

// typed is a partial command line.
type typed struct {
	door    *door
	app     *cli.App
	shell   string
	command *cli.Command // has no name while that is being typed, and no flags if it is unknown
	words   []string     // arguments
	flags   map[string]string
	flag    string // flag whose value is being typed, empty if the last word is an argument or a flag
	ended   bool   // by --
	before  string // prefix of the last word that stays: --flag=
	last    string
}

// typed parses the words after `blue`. The last is the word to complete.
func (d *door) typed(app *cli.App, shell string, words []string) *typed {
	t := &typed{door: d, app: app, shell: shell, flags: map[string]string{}}
	for i, word := range words {
		words[i] = unquoted(shell, word)
	}
	t.last = words[len(words)-1]
	if words = words[:len(words)-1]; len(words) == 1 && words[0] == "help" {
		words = nil
	}
	name, words := commandFirst(words)
	if name == "" {
		t.command = program()
	} else if t.command = commandNamed(app, name); t.command == nil {
		t.command = &cli.Command{Name: name}
	}
	for sub, at := subcommand(t.command, words); sub != nil; sub, at = subcommand(t.command, words) {
		t.command, words = sub, slices.Delete(slices.Clone(words), at, at+1)
	}
	for _, word := range words {
		f, value, assigned := flagOf(t.command, word)
		switch {
		case t.flag != "":
			t.flags[t.flag], t.flag = word, ""
		case t.ended || !strings.HasPrefix(word, "-") || f == nil && word != "--":
			t.words = append(t.words, word)
		case word == "--":
			t.ended = true
		case takesValue(f) && !assigned:
			t.flag = f.Names()[0]
		default:
			t.flags[f.Names()[0]] = value
		}
	}
	if name, value, assigned := strings.Cut(t.last, "="); assigned && t.flag == "" && !t.ended && strings.HasPrefix(name, "-") {
		if f, _, _ := flagOf(t.command, name); f != nil && takesValue(f) {
			t.flag, t.before, t.last = f.Names()[0], name+"=", value
		}
	}
	return t
}

// unquoted removes shell quoting: bash passes words as typed, and PowerShell cannot pass an empty
// word.
func unquoted(shell, word string) string {
	switch {
	case shell == "powershell" && word == "''":
		return ""
	case shell != "bash" || !strings.ContainsAny(word, `\'"`):
		return word
	}
	var b strings.Builder
	quote, escaped := rune(0), false
	for _, r := range word {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// spelled formats one line of the output.
func (t *typed) spelled(choice blue.Choice) string {
	line := t.before + choice.Word
	if choice.Means != "" {
		line += "\t" + strings.Join(strings.Fields(choice.Means), " ")
	}
	return errors.Printable(line) + "\n"
}

// project returns the current project, or nil.
func (t *typed) project(ctx context.Context) *blue.Project {
	cwd, given := t.flags["cwd"]
	if rest, ok := strings.CutPrefix(cwd, "~"); ok && (rest == "" || rest[0] == '/') { // not yet expanded by the shell
		cwd = t.door.b.Env("HOME") + rest
	}
	call := t.door.callFrom(cwd, given)
	call.Log = slog.New(slog.DiscardHandler)
	p, err := t.door.b.Peek(ctx, call)
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
		return "words", append(commandChoices(t.app.VisibleCommands()), blue.Choice{Word: "help", Means: "say what a command takes"})
	case len(t.command.Subcommands) > 0 && len(t.words) == 0:
		return "words", commandChoices(t.command.Subcommands)
	}
	return t.argument(ctx)
}

func commandChoices(commands []*cli.Command) (choices []blue.Choice) {
	for _, c := range commands {
		choices = append(choices, blue.Choice{Word: c.Name, Means: c.Usage})
	}
	return choices
}

// line returns the command without "blue ", such as "server project add".
func (t *typed) line() string { return strings.TrimPrefix(commandLine(t.command), "blue ") }

// unset returns the flags that may still be given.
func (t *typed) unset() (choices []blue.Choice) {
	for _, f := range t.command.Flags {
		name := f.Names()[0]
		usage := ""
		if doc, ok := f.(cli.DocGenerationFlag); ok {
			usage = strings.ReplaceAll(doc.GetUsage(), "`", "")
		}
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
		switch line := t.line(); {
		case line == "mcp":
			return "dirs", nil
		case line == "sessions" || strings.HasPrefix(line, "server"):
			return "words", nil
		}
		return "words", t.knownProjects()
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
	words, own := flagValues[t.line()+" "+t.flag]
	if !own {
		words = flagValues[t.flag]
	}
	choices = choicesOf(words)
	if t.flag == "in" || t.flag == "only" { // several with commas
		done := t.last[:strings.LastIndexByte(t.last, ',')+1]
		for i := range choices {
			choices[i].Word = done + choices[i].Word
		}
	}
	return "words", choices
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

// flagValues maps flags to their fixed values.
var flagValues = map[string][]string{
	"sort":   {"newest", "title"},
	"status": blue.Statuses(),
	"scope":  {"project", "user"},
	"format": {"bundle", "json"},
	"since":  {"24h", "7d", "30d"},
	"role":   {"reader", "writer"},
	"in":     {"notes", "documents", "commits", "code", "sessions", "all"},

	"setup http": {"running"},
	"setup only": {"mcp", "hooks", "instructions", "skill"},
	"reindex in": {"notes", "code"},
}

// argument returns the candidates for the next argument.
func (t *typed) argument(ctx context.Context) (kind string, choices []blue.Choice) {
	first := len(t.words) == 0
	switch name := t.line(); {
	case name == "remove" && t.given("restore"):
		return "words", t.trashed(ctx)
	case slices.Contains([]string{"read", "path", "remove", "accept", "reject"}, name):
		return "words", t.notes(ctx)
	case slices.Contains([]string{"history", "log", "diff", "restore"}, name) && first:
		return "words", append(t.notes(ctx), t.trashed(ctx)...)
	case slices.Contains([]string{"edit", "mv", "open"}, name) && first:
		return "words", t.notes(ctx)
	case name == "diff" && len(t.words) == 1:
		return "words", append(t.revisions(ctx), t.notes(ctx)...)
	case name == "restore" && len(t.words) == 1, name == "diff" && len(t.words) < 3:
		return "words", t.revisions(ctx)
	case name == "resolve" && first:
		return "words", t.conflicts(ctx)
	case (name == "setup" || name == "doctor") && first:
		return "words", setup.ClientChoices()
	case name == "sessions" && first:
		return "words", choicesOf([]string{"show"})
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
	return t.withoutNamed(p.Notes(ctx, t.last, t.shell != "bash"))
}

// withoutNamed removes the ids that are already named.
func (t *typed) withoutNamed(ids []blue.Choice) []blue.Choice {
	return slices.DeleteFunc(ids, func(c blue.Choice) bool { return slices.Contains(t.words, c.Word) })
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

func (t *typed) trashed(ctx context.Context) []blue.Choice {
	if p := t.project(ctx); p != nil {
		return t.withoutNamed(p.TrashedNotes(t.last))
	}
	return nil
}

// revisions returns the revisions of the note that the line names.
func (t *typed) revisions(ctx context.Context) []blue.Choice {
	if p := t.project(ctx); p != nil && len(t.words) > 0 {
		return p.Revisions(ctx, t.words[0], t.last)
	}
	return nil
}
