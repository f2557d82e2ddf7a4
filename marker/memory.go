package marker

import "sync"

// Memory remembers which projects the sources of a session led to. If a source leads to another
// project than before, [Choose] sets [Found.Lost]: a change could reach a project that the session
// does not mean. The zero value is ready, and several goroutines may use it.
type Memory struct {
	Shared bool // several clients use it: what one of them says of its roots says nothing of the others

	mu  sync.Mutex
	led map[remembered]string // to the root of the project
}

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
		m.led = map[remembered]string{}
	}
	for key := range m.led {
		if len(m.led) < maxRemembered {
			break
		}
		delete(m.led, key)
	}
	m.led[remembered{f.Source, f.Value}] = f.Root
	if f.Source == Roots && !m.Shared {
		m.led[remembered{source: Roots}] = f.Root
	}
}

// formerRoot returns the root of the project that a candidate led to before, and "" if it is new.
func (m *Memory) formerRoot(h Candidate) string {
	if m == nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.Outcome == NoAnswer || h.Outcome == Empty {
		return m.led[remembered{source: h.Source}]
	}
	return m.led[remembered{h.Source, h.Value}]
}

// passedRoot returns the root of a project of the session that the walk to f passed: its marker is
// gone. It returns "" if there is none.
func (m *Memory) passedRoot(f Found) string {
	if m == nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, root := range m.led {
		if root != f.Root && isBelow(root, f.Root) && isBelow(f.Start, root) {
			return root
		}
	}
	return ""
}
