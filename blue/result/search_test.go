package result

import "testing"

// Where ten hits fit about alike, most of a reply is passages; where one does,
// only that one has any. In a small reply the first hits have what there is.
func TestSharePassages(t *testing.T) {
	tests := []struct {
		name      string
		tokens    int
		scores    []float64
		least, at int // bytes of all passages
		first     int
	}{
		{"hits alike", 2000, []float64{10, 9, 9, 8, 8, 7, 7, 6, 6, 6}, 4200, 6000, 900},
		{"one good hit", 2000, []float64{10, 3, 3, 3, 2, 2, 2, 2, 2, 2}, 900, 900, 900},
		{"tiny reply", 200, []float64{10, 9, 9}, 300, 600, 300},
		{"small reply", 500, []float64{10, 9, 9, 9}, 900, 1400, 900},
		{"large reply", 10_000, []float64{10, 9, 9, 9, 9, 9, 9, 9, 9, 9}, 4200, 6000, 900},
	}
	for _, tt := range tests {
		room, sum, last := SharePassages(4*tt.tokens), 0, 1<<20
		for i, score := range tt.scores {
			n := room(score)
			if i == 0 && n != tt.first || n > last {
				t.Errorf("%s: %d tokens: hit %d has %d bytes, that before it %d", tt.name, tt.tokens, i, n, last)
			}
			sum, last = sum+n, n
		}
		if sum < tt.least || sum > tt.at {
			t.Errorf("%s: %d tokens: %d bytes of passages, want %d to %d", tt.name, tt.tokens, sum, tt.least, tt.at)
		}
	}
}
