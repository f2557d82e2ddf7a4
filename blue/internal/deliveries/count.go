package deliveries

import (
	"maps"
	"slices"
	"time"

	"blue/blue/result"
)

// Terminal is the client name of a person, or of a command that an agent runs.
const Terminal = "cli"

const (
	claimTime   = 5 * time.Second  // within which a session claims a call as its own
	sessionTime = 4 * time.Hour    // without an event, after which a session is over
	againTime   = 10 * time.Minute // within which a note that is read again counts as read once
)

// attribute returns the events with a session for those from MCP or the terminal, whose client
// names none: the session whose hook reports within claimTime that it has called Blue, or else
// the last session of the same client.
func (r Record) attribute() []Delivery {
	events, claimed, last := slices.Clone(r.Events), map[int]bool{}, map[string]Delivery{}
	for i, e := range r.Events {
		if e.Session == "" {
			if l, ok := last[e.Client]; ok && e.Time.Sub(l.Time) <= sessionTime {
				events[i].Session = l.Session
			}
			continue
		}
		last[e.Client] = e
		for j := i - 1; e.What == Called && j >= 0 && e.Time.Sub(events[j].Time) <= claimTime; j-- {
			if was := r.Events[j]; was.Session == "" && !claimed[j] && (was.Client == e.Client || was.Client == Terminal) {
				claimed[j], events[j].Client, events[j].Session = true, e.Client, e.Session
			}
		}
	}
	return events
}

// OfAgents returns the record without what persons have done at a terminal or on the page.
func (r Record) OfAgents() Record {
	r.Events = slices.DeleteFunc(r.attribute(), func(e Delivery) bool { return e.Client == Terminal })
	return r
}

// Use counts the uses of one note.
type Use struct {
	result.NoteUse
	AtStart  int       // how often it was told whole when a session or a subagent began
	Last     time.Time // it was told, named, found or read
	LastTold time.Time
	LastRead time.Time
}

// session is the state of a session while its events are counted.
type session struct {
	told   map[string]bool // notes that were told and not used yet
	silent bool            // nothing was told at the last prompt
	found  map[string]bool // notes that searches have found since then
	read   map[string]time.Time
}

// counter counts events.
type counter struct {
	total         result.Usage
	clients, days map[string]*result.Usage
	notes         map[string]*Use
	sessions      map[string]*session
}

// Count counts the events since a time: in total, by client, by day, and for each note.
func (r Record) Count(since time.Time) (s result.Stats, notes map[string]*Use) {
	c := counter{clients: map[string]*result.Usage{}, days: map[string]*result.Usage{}, notes: map[string]*Use{}, sessions: map[string]*session{}}
	for _, e := range r.attribute() {
		if !e.Time.Before(since) {
			c.add(e)
		}
	}
	s.Usage, s.Clients, s.Days = c.total, []result.ClientUsage{}, []result.DayUsage{}
	for _, name := range slices.Sorted(maps.Keys(c.clients)) {
		s.Clients = append(s.Clients, result.ClientUsage{Client: name, Usage: *c.clients[name]})
	}
	for _, day := range slices.Sorted(maps.Keys(c.days)) {
		s.Days = append(s.Days, result.DayUsage{Day: day, Usage: *c.days[day]})
	}
	return s, c.notes
}

func entry[T any](m map[string]*T, key string) *T {
	if m[key] == nil {
		m[key] = new(T)
	}
	return m[key]
}

// usages are the counts to which an event is added.
type usages [3]*result.Usage

func (all usages) count(change func(u *result.Usage)) {
	for _, u := range all {
		change(u)
	}
}

func (c *counter) add(e Delivery) {
	day, key := e.Time.Local().Format(time.DateOnly), e.Client+"\t"+e.Session
	all := usages{&c.total, entry(c.clients, e.Client), entry(c.days, day)}
	s := c.sessions[key]
	if s == nil {
		s = &session{told: map[string]bool{}, read: map[string]time.Time{}}
		c.sessions[key] = s
		if e.Session != "" {
			all.count(func(u *result.Usage) { u.Sessions++ })
		}
	}
	all.count(func(u *result.Usage) { u.Bytes += e.Bytes })
	if e.What == Prompt {
		s.silent, s.found = e.Bytes == 0 && len(e.Notes) == 0, map[string]bool{}
		all.count(func(u *result.Usage) {
			if u.Prompts++; len(e.Notes) > 0 {
				u.Answered++
			}
		})
	}
	for _, id := range e.Notes {
		s.add(e, id, entry(c.notes, id), all)
	}
}

// add counts an event of the session for one note.
func (s *session) add(e Delivery, id string, n *Use, all usages) {
	n.ID, n.Last = id, e.Time
	switch e.What {
	case Start, Subagent:
		n.Named++
		return
	case Digest:
		s.told[id] = true
		n.Told++
		n.AtStart++
		n.LastTold = e.Time
		all.count(func(u *result.Usage) { u.Told++ })
		return
	case Prompt, File, Failure, Context:
		if e.Bytes > 0 || e.Session == "" { // otherwise the session was told before
			s.told[id] = true
			n.Told++
			n.LastTold = e.Time
			all.count(func(u *result.Usage) { u.Told++ })
		}
		return
	case Search:
		if s.silent {
			s.found[id] = true
		}
		return
	case Read:
		if e.Time.Sub(s.read[id]) > againTime {
			n.Read++
			all.count(func(u *result.Usage) { u.Read++ })
		}
		s.read[id], n.LastRead = e.Time, e.Time
		if s.silent && s.found[id] {
			s.silent = false
			all.count(func(u *result.Usage) { u.Missed++ })
		}
	case Cited:
		n.Cited++
	}
	if s.told[id] { // it was read or cited, or a file that it cites was changed
		delete(s.told, id)
		n.Used++
		all.count(func(u *result.Usage) { u.Used++ })
	}
}
