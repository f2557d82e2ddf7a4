package screen

import "sync"

// start is a literal of a rule that a text is searched for.
type start struct {
	rule    int
	literal string
}

// starts are the literals of all rules by their first two bytes, so that one pass
// over a text finds the few places where a pattern must run.
type starts struct {
	slots [1 << 16]uint16 // of a pair of bytes in lists, 0 for none
	lists [][]start
}

func (s *starts) add(pair uint16, one start) {
	if s.slots[pair] == 0 {
		s.slots[pair] = uint16(len(s.lists))
		s.lists = append(s.lists, nil)
	}
	slot := s.slots[pair]
	s.lists[slot] = append(s.lists[slot], one)
}

var literals = lazy(allStarts)

// lazy makes a table when it is first asked for.
func lazy[T any](make func() T) func() T { return sync.OnceValue(make) }

func allStarts() *starts {
	s := &starts{lists: [][]start{nil}}
	for i, r := range rules {
		for _, literal := range r.literals {
			for _, pair := range pairs(literal, r.fold) {
				s.add(pair, start{i, literal})
			}
		}
	}
	return s
}

// pairs are the first two bytes of a literal, in every spelling that counts.
func pairs(literal string, fold bool) (all []uint16) {
	if len(literal) == 1 {
		for second := range 256 {
			all = append(all, uint16(literal[0])<<8|uint16(second))
		}
		return all
	}
	for _, first := range spellings(literal[0], fold) {
		for _, second := range spellings(literal[1], fold) {
			all = append(all, uint16(first)<<8|uint16(second))
		}
	}
	return all
}

func spellings(c byte, fold bool) []byte {
	if fold && 'a' <= c && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}
