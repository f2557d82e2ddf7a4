package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
)

type (
	readInput struct {
		place
		blue.Reading
	}
	searchInput struct {
		place
		blue.Query
	}
	listInput struct {
		place
		blue.Filter
	}
	editInput struct {
		place
		blue.Change
	}
	removeInput struct {
		place
		blue.Removal
	}
	writeInput struct {
		place
		blue.Draft
		Personal bool `json:"personal,omitempty" jsonschema:"about the user, for all projects"`
	}
)

// addVerbs publishes the tools that are a verb of notes.
func (d *door) addVerbs(s *mcp.Server) {
	addBare(d, s, tool{
		verb: "write", title: "Write a note", kind: kind{repeats: true},
		description: "Remember in a note: a decision, a cause, a how-to, or a checkpoint of unfinished work, which names its next step after \"Next:\".",
	}, func(ctx context.Context, c *call, in writeInput) (reply, error) {
		open := c.open
		if in.Personal {
			open = c.openPersonal
		}
		p, err := open(ctx, in.Cwd)
		if err != nil {
			return nil, err
		}
		return p.Write(ctx, in.Draft)
	})
	add(d, s, tool{
		verb: "read", title: "Read notes", hint: "memory notes", kind: kind{reads: true, repeats: true},
		description: "Read notes, documents or commits, with links, revisions and changed files.",
	}, func(ctx context.Context, p *blue.Project, in readInput) (reply, error) {
		return p.Read(ctx, in.Reading)
	})
	add(d, s, tool{
		verb: "search", title: "Search notes", kind: kind{reads: true, repeats: true},
		description: "Search the project's memory: notes, decisions, context, documents, commits. Takes words, a question or an error message.",
	}, func(ctx context.Context, p *blue.Project, in searchInput) (reply, error) {
		return p.Search(ctx, in.Query)
	})
	add(d, s, tool{
		verb: "list", title: "List notes", hint: "memory notes", kind: kind{reads: true, repeats: true},
		description: "List notes, newest first.",
	}, func(ctx context.Context, p *blue.Project, in listInput) (reply, error) {
		if in.Review {
			return p.Review(ctx, in.Filter)
		}
		return p.List(ctx, in.Filter)
	})
	add(d, s, tool{
		verb: "edit", title: "Edit a note", hint: "update memory", kind: kind{repeats: true},
		description: "Change a note; the former revision is kept. Send the revision you read: a note that has changed since is not overwritten.",
	}, func(ctx context.Context, p *blue.Project, in editInput) (reply, error) { return p.Edit(ctx, in.Change) })
	add(d, s, tool{
		verb: "remove", title: "Remove a note", hint: "forget memory", kind: kind{destroys: true, repeats: true},
		description: "Move a note to the trash, or bring it back.",
	}, func(ctx context.Context, p *blue.Project, in removeInput) (reply, error) {
		return p.Remove(ctx, in.Removal)
	})
}
