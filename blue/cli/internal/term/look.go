package term

// Look is a set of text attributes.
type Look uint16

// Text attributes.
const (
	Bold Look = 1 << iota
	Faint
	italic
	underlined
	Heading // both hues are legible on dark and light backgrounds
	code
	Added   // as in a diff
	Removed // as in a diff
	whole   // not an attribute: keeps URLs on one line
)

// sgr maps attributes to their ECMA-48 codes (select graphic rendition).
var sgr = []struct {
	look Look
	code string
}{{Bold, "1"}, {Faint, "2"}, {italic, "3"}, {underlined, "4"}, {Heading, "38;5;32"}, {code, "38;5;133"}, {Added, "32"}, {Removed, "31"}}
