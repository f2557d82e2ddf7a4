package cli

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
)

func (d *door) review() *cli.Command {
	return d.verb(&cli.Command{
		Name: "review", Usage: "name the notes that deserve a look, with the reason and the command",
		Description: "Files that notes cite have changed, a note holds another machine's text, superseded notes are\n" +
			"linked to, a proposal waits for 30 days, the branch of a checkpoint is gone, a note was told for long\n" +
			"without a look at it, nothing has changed for a year, removing the worktree would delete notes.\n" +
			"With agents: propose in project.yaml, every proposal is named.\n" +
			"Nothing is changed: what the commands do is for you to decide. With --ask each note is shown, and you\n" +
			"say whether it still holds.",
		Flags: append(listFlags("20"), &cli.BoolFlag{Name: "proposed", Usage: "only proposals, however new; blue accept and blue reject settle them"}, &cli.BoolFlag{Name: "ask", Usage: "go through the first ten at a terminal: y verifies or accepts a note, n sets it aside, e opens it in the editor"}),
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		f, err := filterOf(c)
		if err != nil {
			return nil, err
		}
		f.Proposed = c.Bool("proposed")
		if c.Bool("ask") {
			return d.askAll(c, p, f)
		}
		return p.Review(c.Context, f)
	})
}

// asked is how many notes a person is asked about at once.
const asked = 10

// askAll shows the notes that deserve a look, one by one, and does what the person says of each.
func (d *door) askAll(c *cli.Context, p *blue.Project, f blue.Filter) (reply, error) {
	if !d.mayAsk() {
		return nil, errors.E(errors.Invalid, "--ask needs somebody at a terminal, and no --json").Hint("review", "", "see the list")
	}
	d.paged = false
	if !c.IsSet("limit") {
		f.Limit = asked
	}
	found, err := p.Review(c.Context, f)
	if err != nil || len(found.Review) == 0 {
		return found, err
	}
	done := looked{}
	for _, due := range found.Review {
		one := result.Reviewed{About: found.About, Review: []result.Due{due}, Total: 1}
		one.Unnamed, one.Warnings = true, nil
		if err := d.show(one); err != nil {
			return nil, err
		}
		if !slices.Contains(answerable, due.Kind) {
			continue
		}
		goesOn, err := d.askOne(c.Context, p, due, &done)
		if err != nil || !goesOn {
			return done, err
		}
	}
	return done, nil
}

// answerable are the kinds of what is due that a person can settle with a letter.
var answerable = []string{result.DueChanged, result.DueStill, result.DueProposed, result.DueUnread, result.DueUnfound, result.DueOld}

// askOne shows a note and does what the person says of it. It reports whether to go on.
func (d *door) askOne(ctx context.Context, p *blue.Project, due result.Due, done *looked) (goesOn bool, err error) {
	page, err := p.Read(ctx, blue.Reading{ID: due.ID, Whole: true})
	if err != nil || len(page.Notes) == 0 {
		return false, err
	}
	n := page.Notes[0]
	fmt.Fprintf(d.out, "\n%s\n", errors.Printable(strings.TrimSpace(n.Body)))
	this, no, question := blue.Proposal{ID: due.ID, Revision: n.Revision}, blue.Deprecated, "Does it still hold?"
	proposed := due.Proposed()
	if proposed {
		question = "Accept it?"
	}
	fmt.Fprintf(d.std.Err, "%s y yes, n no, e edit, Enter later, q quit: ", question)
	line, failed := d.readLine(ctx)
	var r reply
	switch strings.ToLower(line) {
	case "y", "yes":
		done.Held++
		if proposed {
			r, err = p.Accept(ctx, this)
		} else {
			r, err = p.Edit(ctx, blue.Change{ID: due.ID, Revision: n.Revision, Verified: true})
		}
	case "n", "no":
		done.SetAside++
		if proposed {
			fmt.Fprint(d.std.Err, "Why not? ")
			why, _ := d.readLine(ctx) // standard input may have ended
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			r, err = p.Reject(ctx, why, this)
		} else {
			r, err = p.Edit(ctx, blue.Change{ID: due.ID, Revision: n.Revision, Status: &no})
		}
	case "e", "edit":
		done.Edited++
		r, err = d.edited(ctx, p, blue.Change{ID: due.ID, Revision: n.Revision})
	case "q", "quit":
		return false, nil
	default:
		done.Later++
		return failed == nil, ctx.Err()
	}
	if err != nil {
		return false, err
	}
	return true, d.show(r)
}

func (d *door) accept() *cli.Command {
	return d.verb(&cli.Command{
		Name: "accept", Usage: "put proposed notes in force", ArgsUsage: "ID[@REVISION]...",
		Description: "A decision becomes accepted, another note active. Of several notes none is changed when one is not\n" +
			"proposed, or is not of the REVISION named any more. blue review --proposed lists them.",
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		all, err := proposals(c)
		if err != nil {
			return nil, err
		}
		return p.Accept(c.Context, all...)
	})
}

func (d *door) reject() *cli.Command {
	return d.verb(&cli.Command{
		Name: "reject", Usage: "set proposed notes aside", ArgsUsage: "ID[@REVISION]...",
		Description: "The reason is added to the note, and told with it. Of several notes none is changed when one is not\n" +
			"proposed, or is not of the REVISION named any more.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "why", Usage: "the reason, as `TEXT`"}},
	}, func(c *cli.Context, p *blue.Project) (reply, error) {
		all, err := proposals(c)
		if err != nil {
			return nil, err
		}
		return p.Reject(c.Context, c.String("why"), all...)
	})
}

var atRevision = regexp.MustCompile(`^(.+)@([0-9a-f]{8,16})$`)

// proposals returns the notes that the arguments name.
func proposals(c *cli.Context) (all []blue.Proposal, err error) {
	for _, id := range c.Args().Slice() {
		one := blue.Proposal{ID: id}
		if m := atRevision.FindStringSubmatch(id); m != nil {
			one = blue.Proposal{ID: m[1], Revision: m[2]}
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		err = wrongArguments(c, "one or more IDs")
	}
	return all, err
}

// looked counts what a person has said of notes.
type looked struct {
	Held, SetAside, Edited, Later int
}

// Text says what was done.
func (l looked) Text() string {
	return fmt.Sprintf("Looked through: %d hold, %d set aside, %d edited, %d left for later\n", l.Held, l.SetAside, l.Edited, l.Later)
}
