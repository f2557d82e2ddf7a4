package server

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"blue/blue"
	"blue/blue/internal/notebook"
	"blue/blue/internal/notesync"
	"blue/blue/internal/postgres"
	"blue/blue/internal/store"
	"blue/errors"
)

// Sync answers one request of a checkout that syncs its notes. Package notesync describes the
// requests.
func (s *Server) Sync(ctx context.Context, a blue.Asked, body []byte) (answer any, err error) {
	var q notesync.Request
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, errors.BadValue("the request", err.Error(), "a JSON object with the member ask")
	}
	if len(q.Notes) > notesync.MostEntries {
		return nil, errors.BadValue("notes", "more than 1000", "at most 1000 of them")
	}
	c, err := s.callerOf(ctx, a)
	if err != nil {
		return nil, err
	}
	seen, _, err := choose(ctx, c, a)
	if err != nil {
		return nil, err
	}
	n := s.d.Notes(ctx, postgres.Access{Project: seen.ID, Subject: c.Subject, Client: a.Client, Role: seen.Role})
	out := notesync.Answer{Project: seen.ID}
	if q.Ask == notesync.AskWrite {
		before, after, err := writeAll(ctx, n, q.Notes)
		out.Stand, out.Same = after, before == q.Stand
		return out, err
	}
	if q.Sure && postgres.Rank(seen.Role) >= postgres.Rank(postgres.Writer) {
		_, out.Stand, err = writeAll(ctx, n, nil)
	} else {
		out.Stand, err = n.PublicStand()
	}
	if err != nil {
		return nil, err
	}
	if out.Same = q.Ask == notesync.AskList && q.Stand == out.Stand; out.Same {
		return out, nil
	}
	out.Notes, err = readAll(n, q)
	return out, err
}

// readAll returns the entries that a request asks for.
func readAll(n *postgres.Notes, q notesync.Request) ([]notesync.RemoteNote, error) {
	var names, revisions []string
	for _, e := range q.Notes {
		names, revisions = append(names, e.Name), append(revisions, e.Revision)
	}
	switch q.Ask {
	case notesync.AskList:
		return postgres.PublicList[notesync.RemoteNote](n, names)
	case notesync.AskPast:
		return postgres.PublicPast[notesync.RemoteNote](n, names, revisions, false)
	case notesync.AskTexts:
		return readTexts(n, names, revisions)
	}
	return nil, errors.BadValue("ask", q.Ask, "list, past, texts or write")
}

// readTexts returns as many texts as fit into one answer, and the remaining entries without
// texts.
func readTexts(n *postgres.Notes, names, revisions []string) ([]notesync.RemoteNote, error) {
	there, err := postgres.PublicPast[notesync.RemoteNote](n, names, revisions, false)
	if err != nil {
		return nil, err
	}
	names, revisions = nil, nil
	size, fit := int64(0), 0
	there = slices.DeleteFunc(there, func(p notesync.RemoteNote) bool { return p.Removed > 0 }) // their texts are gone
	for _, p := range there {
		if size += p.Size; size > notesync.MostText {
			break
		}
		names, revisions, fit = append(names, p.Name), append(revisions, p.Revision), fit+1
	}
	whole, err := postgres.PublicPast[notesync.RemoteNote](n, names, revisions, true)
	return append(whole, there[fit:]...), err
}

// writeAll makes all changes in one transaction and returns the stands before and after it. Its
// error is of kind Conflict if a note is not in the state that the client expects.
func writeAll(ctx context.Context, n *postgres.Notes, changes []notesync.RemoteNote) (before, after string, err error) {
	named, byRevision := map[string]bool{}, map[string]string{}
	for _, e := range changes {
		if named[e.Name] {
			return "", "", errors.BadValue("notes", e.Name+" twice", "each name once")
		}
		named[e.Name] = true
		if e.Revision != "" && e.Revision != store.Revision(e.Text) || e.Revision == "" && e.Before == "" {
			return "", "", errors.BadValue("revision", e.Revision, "that of the text of "+e.Name)
		}
		byRevision[e.Revision] = e.Name
	}
	var h *postgres.Held
	err = notebook.Retry(ctx, func() (w notebook.Writer, err error) {
		h, err = n.Lock(ctx, "sync")
		return h, err
	}, func(notebook.Writer) (err error) {
		if before, err = n.PublicStand(); err != nil {
			return err
		}
		if len(changes) > 0 {
			erased, err := n.ErasedAmong(slices.Collect(maps.Keys(byRevision)))
			if err != nil {
				return err
			}
			if len(erased) > 0 {
				var names []string
				for _, revision := range erased {
					names = append(names, byRevision[revision])
				}
				return errors.E(errors.Invalid, "%s was erased on the server", errors.Quote(names[0])).With(names).
					Hint("", "", "remove it here with blue remove, and sync again")
			}
		}
		for _, e := range changes {
			if err := h.WritePublic(e.Name, e.Before, e.Revision, e.Text); err != nil {
				return err
			}
		}
		after, err = n.PublicStand()
		return err
	})
	if errors.Is(err, errors.Exists) || errors.Is(err, errors.NotFound) {
		return "", "", errors.E(errors.Conflict, "%s", errors.Of(err).Message).
			Hint("sync", "", "takes in what has changed, and sends again")
	}
	return before, after, err
}
