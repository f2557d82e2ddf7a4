package cli

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/errors"
)

// flagWord matches a word that is meant as a flag. "-", "- an item", "-5" and "-x is broken" are
// text.
var flagWord = regexp.MustCompile(`^(-[A-Za-z][\w-]*|--[^\s=]+)(=|$)`)

// commandFirst moves flags before the command behind it, as in `blue -C DIR list`. It rewrites
// `blue help list` to `blue list --help` and --version to version. name is empty if there is no
// command.
func commandFirst(words []string) (name string, rest []string) {
	var before []string
	for len(words) > 0 && flagWord.MatchString(words[0]) {
		flag, _, assigned := strings.Cut(words[0], "=")
		n := 1
		switch {
		case flag == "--version":
			return "version", append(before, words[1:]...)
		case flag == "--json" || flag == "--no-pager" || flag == "-v" || flag == "--verbose":
		case flag != "-C" && flag != "--cwd":
			return "", append(before, words...)
		case !assigned:
			n = min(2, len(words))
		}
		before, words = append(before, words[:n]...), words[n:]
	}
	switch {
	case len(words) == 0:
		return "", before
	case words[0] != "help":
		return words[0], append(before, words[1:]...)
	case len(words) == 1 || words[1] == "help" || flagWord.MatchString(words[1]):
		return "", append(slices.DeleteFunc(words[1:], func(word string) bool { return word == "help" }), "--help")
	}
	return words[1], slices.Concat(before, words[2:], []string{"--help"})
}

// ordered moves the flags of a command before its arguments, because the library does not parse
// flags after the first argument, and spells them as declared. `--` ends the flags.
func (d *door) ordered(app *cli.App, args []string) ([]string, error) {
	end := slices.Index(append(args, "--"), "--")
	d.json = slices.Contains(args[:end], "--json")
	name, rest := commandFirst(args[min(1, len(args)):])
	command, line := commandNamed(app, name), []string{"blue", name}
	if name == "" {
		command, line = program(), line[:1]
	}
	if command == nil || command.SkipFlagParsing {
		return slices.Concat(line, rest), nil
	}
	for sub, at := subcommand(command, rest); sub != nil; sub, at = subcommand(command, rest) {
		command, line, rest = sub, append(line, sub.Name), slices.Delete(slices.Clone(rest), at, at+1)
	}
	flags, words, err := split(command, rest)
	switch {
	case err != nil || name == "": // without a command: help
		return line, err
	case slices.Contains(flags, "--help"): // the library would take the arguments for commands
		words = nil
	}
	return slices.Concat(line, flags, []string{"--"}, words), nil
}

// subcommand returns the subcommand that a command line names, and its place in the words. Flags
// before it belong to it.
func subcommand(command *cli.Command, words []string) (sub *cli.Command, at int) {
	for at = 0; at < len(words) && words[at] != "--"; at++ {
		if !flagWord.MatchString(words[at]) {
			return command.Command(words[at]), at
		}
		if f, _, assigned := flagOf(&cli.Command{Flags: everyFlag(command)}, words[at]); f != nil && takesValue(f) && !assigned {
			at++
		}
	}
	return nil, 0
}

// everyFlag returns the flags of a command and its subcommands.
func everyFlag(command *cli.Command) []cli.Flag {
	all := command.Flags
	for _, sub := range command.Subcommands {
		all = slices.Concat(all, everyFlag(sub))
	}
	return all
}

// program is a command with the flags that need no command.
func program() *cli.Command {
	return &cli.Command{Flags: []cli.Flag{cwdFlag(), jsonFlag(), verboseFlag(), noPagerFlag(), &cli.BoolFlag{Name: "version", Usage: "print the versions"}}}
}

// split separates the flags of a command from its arguments.
func split(command *cli.Command, rest []string) (flags, words []string, err error) {
	var named []string
	for ; len(rest) > 0; rest = rest[1:] {
		word := rest[0]
		if word == "--" {
			return flags, append(words, rest[1:]...), nil
		}
		f, value, assigned := flagOf(command, word)
		switch {
		case !flagWord.MatchString(word), f == nil && isExclusion(command, word):
			words = append(words, word)
			continue
		case f == nil:
			var names []string
			for _, f := range command.Flags {
				names = append(names, "--"+f.Names()[0])
			}
			return nil, nil, errors.Usage("%s has no flag %q", commandLine(command), word).
				Hint("", "", "its flags: "+strings.Join(names, ", ")+"; after -- everything is text")
		}
		name := f.Names()[0]
		if (name == "cwd" || name == "project" && command.Name == "mcp") && slices.Contains(named, name) {
			return nil, nil, errors.Usage("flag %q is given twice", "--"+name).Hint("", "", "name one directory")
		}
		named = append(named, name)
		switch {
		case assigned:
			flags = append(flags, "--"+name+"="+value)
		case !takesValue(f):
			flags = append(flags, "--"+name)
		case len(rest) == 1:
			return nil, nil, errors.Usage("flag %q of %s needs a value", word, commandLine(command)).
				Hint("", "", "see: "+commandLine(command)+" --help")
		default:
			flags = append(flags, "--"+name+"="+rest[1])
			rest = rest[1:]
		}
	}
	return flags, words, nil
}

// commandLine returns the command as it is typed, without options and arguments.
func commandLine(command *cli.Command) string {
	line, _, _ := strings.Cut(command.UsageText, " [options]")
	return cmp.Or(line, "blue")
}

// isExclusion reports whether word excludes a term from a search: "-staging", but not "-x".
func isExclusion(command *cli.Command, word string) bool {
	return command.Name == "search" && !strings.HasPrefix(word, "--") && len(word) > 2
}

var counted = regexp.MustCompile(`^-[a-z][0-9]+$`)

// flagOf returns the flag that word names, or nil, and the value in the same word: --limit=5, -n5.
// Underscores are accepted for hyphens, as in the arguments of tools.
func flagOf(command *cli.Command, word string) (f cli.Flag, value string, assigned bool) {
	name, value, assigned := strings.Cut(word, "=")
	if counted.MatchString(word) {
		name, value, assigned = word[:2], word[2:], true
	}
	name = strings.ReplaceAll(strings.TrimLeft(name, "-"), "_", "-")
	if name == "help" || name == "h" {
		return cli.HelpFlag, value, assigned
	}
	for _, f := range command.Flags {
		if slices.Contains(f.Names(), name) {
			return f, value, assigned
		}
	}
	return nil, value, assigned
}

func takesValue(f cli.Flag) bool {
	doc, ok := f.(cli.DocGenerationFlag)
	return ok && doc.TakesValue()
}

func commandNamed(app *cli.App, name string) *cli.Command {
	for _, c := range app.Commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// flagFault matches the standard library's message for an invalid flag value.
var flagFault = regexp.MustCompile(`^invalid (boolean )?value (".*") for (?:flag )?-([a-z-]+):`)

// badFlag returns an error that names the invalid value and what the flag takes.
func badFlag(command *cli.Command, err error) error {
	m := flagFault.FindStringSubmatch(err.Error())
	if m == nil {
		return errors.Usage("%w", err).Hint("", "", "see: "+command.HelpName+" --help")
	}
	value, _ := strconv.Unquote(m[2]) // quoted by the library
	want := "a number"
	if m[1] != "" {
		want = "true or false"
	}
	for _, f := range command.Flags {
		if _, ok := f.(*cli.DurationFlag); ok && f.Names()[0] == m[3] {
			want = "a time such as 30m or 24h"
		}
	}
	return errors.BadValue(m[3], value, want)
}
