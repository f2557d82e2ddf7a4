package index_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/index"
)

// BenchmarkAmend counts, on the judged sets, how often a note that amends another one names
// that as related, and how often notes that amend nothing name any: those of the other sets,
// and those of the set itself, each without itself.
func BenchmarkAmend(b *testing.B) {
	dir := os.Getenv("BLUE_EVAL")
	if dir == "" {
		b.Skip("no judged sets: set BLUE_EVAL, as for BenchmarkEval")
	}
	sets := judgedSets(b, dir)
	for _, s := range sets {
		b.Run(s.name, func(b *testing.B) {
			related := s.relatedFinder(b)
			for b.Loop() {
				pairs, found := 0, 0
				for _, d := range sample(s.docs) {
					if title, body, ok := amend(d, 0.4); ok {
						pairs++
						found += count(slices.Contains(related(title, body, ""), d.ID))
					}
				}
				b.ReportMetric(float64(pairs), "pairs")
				b.ReportMetric(100*float64(found)/float64(pairs), "%named")
				for _, other := range sets {
					strangers := 0
					for _, d := range sample(other.docs) {
						strangers += count(len(related(d.Title, d.Body, d.ID)) > 0)
					}
					b.ReportMetric(100*float64(strangers)/float64(len(sample(other.docs))), "%of-"+other.name)
				}
			}
		})
	}
}

func count(yes bool) int { return map[bool]int{true: 1}[yes] }

// relatedFinder returns what finds the documents of a set that are related to a text.
func (s *set) relatedFinder(b *testing.B) func(title, body, self string) []string {
	bodies, idOf := map[string]string{}, map[string]string{}
	for _, d := range s.docs {
		bodies[d.ID], idOf[d.Name] = d.Body, d.ID
	}
	x := mustOpen(b, s.docs...)
	read := func(row index.Row) (string, string) { return bodies[row.ID], row.Revision }
	return func(title, body, self string) (ids []string) {
		mayAmend := func(row index.Row) bool { return row.ID != self }
		for _, name := range x.FindAlike(index.Draft{Title: title, Body: body, MayAmend: mayAmend, Read: read}).Related {
			ids = append(ids, idOf[name])
		}
		return ids
	}
}

// sameMeaning are words that an author may choose for one another.
var sameMeaning = func() map[string]string {
	pairs := map[string]string{}
	for line := range strings.Lines(`add include
support allow
use employ
using through
create make
remove drop
delete erase
change alter
allow permit
enable switch on
provide offer
implement build
need require
should must
must has to
new fresh
current present
proposal plan
propose suggest
user person
users people
default standard
error failure
fail break
failed broken
feature ability
multiple several
request call
requests calls
function routine
value setting
values settings
existing present
existed stood
update refresh
ensure make sure
different other
issue problem
issues problems
start begin
stop end
show display
check verify
run execute
running executing
command instruction
file document
files documents
list enumeration
configuration settings
config settings
message text
however but
because since
therefore so
server host
client caller
test trial
tests trials
large big
small little
time moment
name label
type kind
option choice
options choices
result outcome
method way
find locate
write store
read load
send transmit
return give back
fix repair
bug fault`) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		pairs[from] = to
	}
	return pairs
}()

var (
	figure   = regexp.MustCompile(`\d+`)
	sentence = regexp.MustCompile(`[^.!?\n]{40,300}[.!?\n]`)
	word     = regexp.MustCompile(`[\pL\pN_]+`)
)

// amend makes the title and the text of a note that amends another one: up to four of its
// sentences in another order, other words for those that have any, a share of the others
// left out, and other figures. False for a note that has no two sentences.
func amend(d index.Document, share float64) (title, body string, ok bool) {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(d.ID))
	r := rand.New(rand.NewPCG(sum.Sum64(), 1))
	found := sentence.FindAllString(d.Body, -1)
	if len(found) < 2 {
		return "", "", false
	}
	r.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	reword := func(text string) string {
		text = figure.ReplaceAllStringFunc(text, func(n string) string { return fmt.Sprint(r.IntN(9) + len(n)*10) })
		return word.ReplaceAllStringFunc(text, func(w string) string {
			if other, ok := sameMeaning[strings.ToLower(w)]; ok {
				return other
			}
			if r.Float64() < share {
				return ""
			}
			return w
		})
	}
	return "Change: " + reword(d.Title), "We decided anew. " + reword(strings.Join(found[:min(4, len(found))], " ")), true
}

// sample is a hundred documents and some, evenly.
func sample(docs []index.Document) (some []index.Document) {
	for i := 0; i < len(docs); i += max(1, len(docs)/100) {
		some = append(some, docs[i])
	}
	return some
}
