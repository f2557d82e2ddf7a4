package reply

// passageBytes are the bytes that the passages of a hit may have, by its place; the last is
// for all others. With ten hits and their titles this is 1,500 to 2,000 tokens.
var passageBytes = [...]int{900, 900, 900, 800, 800, 600, 600, 160}

const (
	steepFall = 0.4 // of the score of the first hit: what has less gets no passage
	rowBytes  = 200 // of a hit beside its passages
)

// SharePassages shares out the bytes of a reply among the passages of hits, which are asked
// for best first, by their scores: the first hits get most, and none more than half of what
// is left. A hit far behind the first is named only.
func SharePassages(left int) func(score float64) int {
	place, first := 0, 0.0
	return func(score float64) int {
		if place == 0 {
			first = score
		}
		room := min(passageBytes[min(place, len(passageBytes)-1)], max(left-rowBytes, 0)/2)
		if place++; score < steepFall*first {
			room = 0
		}
		left -= room + rowBytes
		return room
	}
}
