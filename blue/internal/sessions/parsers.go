package sessions

import "iter"

// parsers returns the parser of each client by the client's name in `blue setup`.
func parsers() []parser { return nil }

// List returns the transcripts of all clients.
func List(h Homes) []Transcript { return nil }

// Read yields the turns of a transcript in order. An error ends it: what was read until then is
// right, but there may be more.
func Read(t Transcript) iter.Seq2[Turn, error] { return func(func(Turn, error) bool) {} }
