package marker

import "sync"

// Memory remembers which projects the sources of a session led to. If a source leads to another
// project than before, [Choose] sets [Found.Lost]: a change could reach a project that the session
// does not mean. The zero value is ready, and several goroutines may use it.
type Memory struct {
	Shared bool // several clients use it: what one of them says of its roots says nothing of the others

	mu  sync.Mutex
	led map[remembered]place
}

// place is a project that a source led to.
type place struct{ root, id string }

// is reports whether f is the project at p: at the same root, or with the same id, as in a linked
// worktree.
func (p place) is(f Found) bool { return p.root == f.Root || p.id == f.ID && p.id != p.root }

// remembered is a source and the value that it had. Of the roots of a client the last project is
// also kept without a value, for the time when the client does not name them any more.
type remembered struct {
	source Source
	value  string
}

const maxRemembered = 1000 // values of one session

// Accept remembers that a source led to a project, also if it led to another one before.
func (m *Memory) Accept(f Found) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.led == nil {
		m.led = map[remembered]place{}
	}
	for key := range m.led {
		if len(m.led) < maxRemembered {
			break
		}
		if key.source == Argument { // the others are few
			delete(m.led, key)
		}
	}
	to := place{f.Root, f.ID}
	m.led[remembered{f.Source, f.Value}] = to
	if f.Source == Roots && !m.Shared {
		m.led[remembered{source: Roots}] = to
	}
}

// former returns the project that a candidate led to before, and no place if it is new.
func (m *Memory) former(h Candidate) place {
	if m == nil {
		return place{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.Outcome == NoAnswer || h.Outcome == Empty {
		return m.led[remembered{source: h.Source}]
	}
	return m.led[remembered{h.Source, h.Value}]
}

// passed returns the project of the session that the walk to f passed: its marker is gone. It returns
// no place if there is none.
func (m *Memory) passed(f Found) place {
	if m == nil {
		return place{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.led {
		if !p.is(f) && isBelow(p.root, f.Root) && isBelow(f.Start, p.root) {
			return p
		}
	}
	return place{}
}
