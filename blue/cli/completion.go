package cli

import (
	"context"
	"embed"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// shells holds the completion scripts, which call `blue __complete`.
//
//go:embed shells/*
var shells embed.FS

// shellNames lists the supported shells.
var shellNames = []blue.Choice{{Word: "bash"}, {Word: "zsh"}, {Word: "fish"}, {Word: "powershell", Means: "Windows PowerShell and PowerShell 7"}}

// blue completion SHELL
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

// blue __complete SHELL WORD...
//
// It completes the last word. The first line of the output is `words`, `files` or `dirs`. Each
// further line is a candidate, followed by a tab and its description. It never fails and changes
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
	return blue.Visible(line) + "\n"
}
