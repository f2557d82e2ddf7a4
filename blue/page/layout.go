package page

import (
	"hash/fnv"
	"math"
)

// The picture is laid out by forces, as Fruchterman and Reingold do it: notes push
// each other away, links draw together, and a weak pull keeps the parts that no
// link joins in sight. What is far away pushes as one, so that the time hardly
// grows faster than the notes. It begins with places that follow from the ids
// alone: the same notes give the same picture.
const (
	rest   = 34.0 // the distance at which two linked notes rest
	rounds = 160
	pull   = 0.04
	cool   = 0.968 // of the heat stays after a round
)

type point struct{ x, y float64 }

// layOut gives each note its place.
func (d *drawn) layOut() {
	radius := rest * math.Sqrt(float64(len(d.Nodes)))
	at, moves := make([]point, len(d.Nodes)), make([]point, len(d.Nodes))
	for i, n := range d.Nodes {
		at[i] = begins(n.ID, radius)
	}
	heat := radius / 4
	for range rounds {
		clear(moves)
		t := grown(at)
		for i := range at {
			t.push(0, at[i], &moves[i])
		}
		d.draw(at, moves)
		for i := range at {
			x, y := moves[i].x-at[i].x*pull, moves[i].y-at[i].y*pull
			if far := math.Sqrt(x*x + y*y); far > 0 {
				step := min(far, heat) / far
				at[i] = point{at[i].x + x*step, at[i].y + y*step}
			}
		}
		heat *= cool
	}
	for i := range at {
		d.Nodes[i].X, d.Nodes[i].Y = math.Round(at[i].x*10)/10, math.Round(at[i].y*10)/10
	}
}

// begins is a place that an id alone decides.
func begins(id string, radius float64) point {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(id)) // never fails
	bits := sum.Sum64()
	place := func(half uint64) float64 { return (float64(uint32(half))/(1<<31) - 1) * radius }
	return point{place(bits), place(bits >> 32)}
}

// flee adds the push of count notes at a place.
func (m *point) flee(n, from point, count float64) {
	x, y := n.x-from.x, n.y-from.y
	square := max(x*x+y*y, rest*rest/64)
	force := 4 * rest * rest * rest * count / (square * math.Sqrt(square))
	m.x += x * force
	m.y += y * force
}

// tree is squares within squares (Barnes and Hut), the first one around them all.
type tree []square

// square is the notes in it: how many, and their middle. Kids are places in the
// tree of its quarters, 0 for an empty one.
type square struct {
	center, mid point
	half        float64 // of its side
	count       float64
	kids        [4]int
}

func grown(at []point) tree {
	half := 1.0
	for _, p := range at {
		half = max(half, math.Abs(p.x), math.Abs(p.y))
	}
	t := append(make(tree, 0, 3*len(at)+1), square{half: half})
	for _, p := range at {
		t.add(p)
	}
	return t
}

// add puts a note into its squares, down to one of its own, or one so small that it
// does not matter.
func (t *tree) add(p point) {
	for i := 0; ; {
		s := &(*t)[i]
		alone, was := s.count == 1, s.mid
		s.count++
		s.mid = point{s.mid.x + (p.x-s.mid.x)/s.count, s.mid.y + (p.y-s.mid.y)/s.count}
		if s.count == 1 || s.half < 0.5 {
			return
		}
		if alone { // who was here first moves down too
			first := t.kid(i, was)
			(*t)[first].count, (*t)[first].mid = 1, was
		}
		i = t.kid(i, p)
	}
}

// kid is the quarter of a square that a place lies in.
func (t *tree) kid(i int, p point) int {
	s := (*t)[i]
	quarter, half := 0, s.half/2
	center := point{s.center.x - half, s.center.y - half}
	if p.x > s.center.x {
		quarter, center.x = 1, s.center.x+half
	}
	if p.y > s.center.y {
		quarter, center.y = quarter+2, s.center.y+half
	}
	if s.kids[quarter] == 0 {
		(*t)[i].kids[quarter] = len(*t)
		*t = append(*t, square{center: center, half: half})
	}
	return (*t)[i].kids[quarter]
}

// push adds to a note what those of a square do to it; itself does not move it.
func (t tree) push(i int, at point, move *point) {
	s := &t[i]
	far := max(math.Abs(at.x-s.center.x), math.Abs(at.y-s.center.y))
	if s.count == 1 || s.half < 0.5 || far > 2.2*s.half {
		move.flee(at, s.mid, s.count)
		return
	}
	for _, kid := range s.kids {
		if kid != 0 {
			t.push(kid, at, move)
		}
	}
}

// draw adds what the links do: less to a note that has many.
func (d *drawn) draw(at, moves []point) {
	for _, l := range d.Links {
		a, b := l[0], l[1]
		x, y := at[b].x-at[a].x, at[b].y-at[a].y
		mine, others := 1/math.Sqrt(float64(d.Nodes[a].Links)), 1/math.Sqrt(float64(d.Nodes[b].Links))
		moves[a].x, moves[a].y = moves[a].x+x*mine, moves[a].y+y*mine
		moves[b].x, moves[b].y = moves[b].x-x*others, moves[b].y-y*others
	}
}
