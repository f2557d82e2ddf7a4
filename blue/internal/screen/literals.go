package screen

import "sync"

// ruleLiteral is a literal of a rule that a text is searched for.
type ruleLiteral struct {
	rule    int
	literal string
}

// literalTable holds the literals of all rules by their first two bytes, so that one pass
// over a text finds the few places where a pattern must run.
type literalTable struct {
	slots [1 << 16]uint16 // of a pair of bytes in lists, 0 for none
	lists [][]ruleLiteral
}

func (s *literalTable) addLiteral(pair uint16, one ruleLiteral) {
	if s.slots[pair] == 0 {
		s.slots[pair] = uint16(len(s.lists))
		s.lists = append(s.lists, nil)
	}
	slot := s.slots[pair]
	s.lists[slot] = append(s.lists[slot], one)
}

// allLiterals is built when it is first asked for.
var allLiterals = sync.OnceValue(buildLiteralTable)

func buildLiteralTable() *literalTable {
	s := &literalTable{lists: [][]ruleLiteral{nil}}
	for i, r := range rules {
		for _, literal := range r.literals {
			for _, pair := range firstBytePairs(literal, r.fold) {
				s.addLiteral(pair, ruleLiteral{i, literal})
			}
		}
	}
	return s
}

// firstBytePairs are the first two bytes of a literal, in every spelling that counts.
func firstBytePairs(literal string, fold bool) (all []uint16) {
	if len(literal) == 1 {
		for second := range 256 {
			all = append(all, uint16(literal[0])<<8|uint16(second))
		}
		return all
	}
	for _, first := range caseForms(literal[0], fold) {
		for _, second := range caseForms(literal[1], fold) {
			all = append(all, uint16(first)<<8|uint16(second))
		}
	}
	return all
}

func caseForms(c byte, fold bool) []byte {
	if fold && 'a' <= c && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}
