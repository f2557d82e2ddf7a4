package layout

// Look is how a text looks on a terminal, a set of the following.
type Look uint16

// The looks of a text.
const (
	Bold Look = 1 << iota
	Faint
	italic
	underlined
	Heading // the two hues can be read on dark and on light ground
	code
	Added   // as in a diff
	Removed // as in a diff
	whole   // no look: an address that is not broken between lines
)

// sgr are the codes of the looks (ECMA-48, select graphic rendition).
var sgr = []struct {
	look Look
	code string
}{{Bold, "1"}, {Faint, "2"}, {italic, "3"}, {underlined, "4"}, {Heading, "38;5;32"}, {code, "38;5;133"}, {Added, "32"}, {Removed, "31"}}
