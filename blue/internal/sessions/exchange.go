package sessions

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"blue/blue/internal/index"
	"blue/blue/internal/screen"
)

// Limits of what is kept of a session, in bytes.
const (
	turnLimit    = 64 << 10  // of a turn
	failureLimit = 2 << 10   // of the output of a tool that failed: half from its start, half from its end
	flushSize    = 128 << 10 // of an exchange that is indexed before its end
	pieceSize    = 4 << 10   // of a document
	leadSize     = 400       // of the question or the answer that is kept with each piece
	titleSize    = 120       // of the title of a piece
	beforeSize   = 1600      // of what was said before an exchange, by which it is found too
)

// collector splits the turns of a transcript into exchanges. What is said before the person has
// spoken belongs to none.
type collector struct {
	of       Transcript
	dir      string // working directory
	at       string // the same when the exchange began
	now      Exchange
	question string // the start of what the person said
	before   string // what was said before, the latest exchange first
	size     int
	took     func(e Exchange, question, dir string) // takes an exchange, or a part of a long one
}

// add adds a turn.
func (c *collector) add(t Turn) {
	if t.Speaker == Person {
		c.flush()
		c.at = ""
	}
	if t.Dir != "" {
		c.dir = t.Dir
	}
	if c.at == "" {
		c.at = c.dir
	}
	if t.Speaker == Person {
		c.now = Exchange{Client: c.of.Client, Session: c.of.ID, Number: c.now.Number + 1, Time: t.Time}
	}
	if c.now.Number == 0 || strings.TrimSpace(t.Text) == "" {
		return
	}
	if c.now.Time.IsZero() {
		c.now.Time = t.Time
	}
	t.Text = strings.ToValidUTF8(strings.TrimSpace(t.Text), "\uFFFD")
	if t.Speaker != Failure { // of which the end counts: it is cut when secrets were masked
		t.Text = cutText(t.Text, turnLimit)
	}
	c.now.Turns = append(c.now.Turns, t)
	if c.size += len(t.Text); c.size >= flushSize {
		c.flush()
	}
}

// flush hands over what was said since the last one.
func (c *collector) flush() {
	if len(c.now.Turns) == 0 {
		return
	}
	e := c.now
	if e.Time.IsZero() {
		e.Time = time.Unix(0, c.of.Stamp.ModTime)
	}
	e.Time = e.Time.UTC()
	maskSecrets(e.Turns)
	if e.Turns[0].Speaker == Person {
		c.question = cutText(e.Turns[0].Text, leadSize)
	}
	e.before = c.before
	if e.Turns[0].Speaker == Person {
		c.remember(e)
	}
	c.took(e, c.question, c.at)
	c.now.Turns, c.size = nil, 0
}

// remember keeps the start of what was said in an exchange for those that follow: their words are
// often too few to be found by.
func (c *collector) remember(e Exchange) {
	var b strings.Builder
	for _, t := range e.Turns {
		if t.Speaker != Failure {
			b.WriteString(cutText(t.Text, leadSize) + "\n\n")
		}
	}
	c.before = cutText(cutText(b.String(), beforeSize/2)+"\n\n"+c.before, beforeSize)
}

// cutText returns at most limit bytes from the start of a text, without the word that the limit
// cuts: half a secret would not be recognized.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if at := strings.LastIndexAny(text[:limit+1], " \n\t"); at >= 0 {
		return text[:at] + " …"
	}
	return "…"
}

// maskSecrets replaces the lines of turns that look like a secret. It judges all turns together,
// because the lines around a secret may be what shows it.
func maskSecrets(turns []Turn) {
	var whole strings.Builder
	for _, t := range turns {
		whole.WriteString(t.Text + "\n")
	}
	masked := screen.Mask(whole.String())
	for i := range turns {
		t := &turns[i]
		size := strings.Count(t.Text, "\n") + 1
		t.Text, masked = screen.Join(masked[:size]), masked[size:]
		if t.Speaker == Failure {
			t.Text = ends(t.Text, failureLimit)
		}
	}
}

// ends returns the beginning and the end of a text that is longer than limit bytes.
func ends(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return cutText(text, limit/2) + "\n" + cutStart(text, limit/2)
}

// cutStart returns at most limit bytes from the end of a text, from the start of a word.
func cutStart(text string, limit int) string {
	rest := text[len(text)-limit:]
	if at := strings.IndexAny(rest, " \n\t"); at >= 0 {
		return "… " + rest[at+1:]
	}
	return "…"
}

// piece is what the index stores of an exchange with each of its documents.
type piece struct {
	Number   int     `json:"n"`
	Question string  `json:"q,omitempty"` // the start of it, if it is in another piece
	Answer   string  `json:"a,omitempty"` // the start of the last answer, likewise
	Texts    []spoke `json:"t"`
}

// spoke is a turn, or a part of one.
type spoke struct {
	Speaker string `json:"s"`
	Text    string `json:"x"`
	Goes    bool   `json:"c,omitempty"` // it continues the last text of the piece before
}

// body returns the text of a piece by which it is found and judged, and where its turns begin.
func (p piece) body() (body string, starts []int) {
	var b strings.Builder
	for _, t := range p.Texts {
		starts = append(starts, b.Len())
		b.WriteString(t.Text)
		b.WriteString("\n\n")
	}
	return b.String(), starts
}

// cutPieces cuts an exchange into pieces.
func cutPieces(e Exchange, question string) (all []piece) {
	size, last, answer := 0, 0, ""
	for _, t := range e.Turns {
		for rest, goes := t.Text, false; rest != ""; goes = true {
			if len(all) == 0 || size+len(rest) > pieceSize {
				all, size = append(all, piece{Number: e.Number}), 0
			}
			now := &all[len(all)-1]
			if len(now.Texts) == 0 && (goes || t.Speaker != Person) {
				now.Question = question
			}
			if t.Speaker == Agent && !goes {
				last, answer = len(all)-1, cutText(t.Text, leadSize)
			}
			part := rest[:cutAt(rest, pieceSize)]
			now.Texts = append(now.Texts, spoke{t.Speaker, part, goes})
			size, rest = size+len(part), rest[len(part):]
		}
	}
	for i := range all {
		if i != last {
			all[i].Answer = answer
		}
	}
	return all
}

// cutAt returns where to cut a text of more than limit bytes: behind a line, or else a word.
func cutAt(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	for _, mark := range [...]string{"\n", " "} {
		if at := strings.LastIndex(text[:limit], mark); at >= limit/2 {
			return at + 1
		}
	}
	for limit > 1 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return limit
}

// packer makes documents for the index. It compresses what the index stores of them, which is most
// of its size.
type packer struct {
	packed bytes.Buffer
	writer *flate.Writer
}

func newPacker() *packer {
	p := &packer{}
	p.writer, _ = flate.NewWriter(&p.packed, flate.BestSpeed) // a valid level
	return p
}

// pack encodes a piece for [unpack].
func (p *packer) pack(of piece) []byte {
	p.packed.Reset()
	p.writer.Reset(&p.packed)
	_ = json.NewEncoder(p.writer).Encode(of) // texts and numbers, into memory
	_ = p.writer.Close()
	return bytes.Clone(p.packed.Bytes())
}

// unpack decodes what the index stores of a document. It is our own data: if it is damaged, the piece
// is empty.
func unpack(extra []byte) (p piece) {
	if json.NewDecoder(flate.NewReader(bytes.NewReader(extra))).Decode(&p) != nil {
		return piece{}
	}
	return p
}

// documents returns the documents of an exchange for the index. The first has that number.
func (p *packer) documents(of Transcript, e Exchange, question string, number int) (all []index.Document) {
	title := cutText(strings.TrimSpace(firstLine(question)), titleSize)
	for i, part := range cutPieces(e, question) {
		body, _ := part.body()
		name := documentName(of.name(), number+i)
		row := index.Row{Name: name, ID: e.Name(), Type: kindExchange, Title: title, Time: e.Time, Extra: p.pack(part)}
		row.Revision = fmt.Sprintf("%s %d %d", name, of.Stamp.Size, of.Stamp.ModTime)
		all = append(all, index.Document{Row: row, Body: body + e.before})
	}
	return all
}

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// Name returns the id of an exchange for the user.
func (e Exchange) Name() string { return fmt.Sprintf("%s/%s#%d", e.Client, e.Session, e.Number) }

// name returns the name of a session, which is also its id for the user.
func (t Transcript) name() string { return t.Client + "/" + t.ID }

// documentName returns the name of a document of a session.
func documentName(session string, number int) string { return fmt.Sprintf("%s#%06d", session, number) }

// restore puts exchanges together again from rows in the order of their names.
func restore(rows iter.Seq[index.Row]) iter.Seq[Exchange] {
	return func(yield func(Exchange) bool) {
		var e Exchange
		for row := range rows {
			p := unpack(row.Extra)
			if p.Number == 0 {
				continue
			}
			if e.Number > 0 && e.Name() != row.ID {
				if !yield(e) {
					return
				}
				e = Exchange{}
			}
			session := row.ID[:strings.LastIndexByte(row.ID, '#')]
			e.Client, e.Session, _ = strings.Cut(session, "/")
			e.Number, e.Time = p.Number, row.Time
			for _, t := range p.Texts {
				if n := len(e.Turns); t.Goes && n > 0 {
					e.Turns[n-1].Text += t.Text
				} else {
					e.Turns = append(e.Turns, Turn{Speaker: t.Speaker, Text: t.Text})
				}
			}
		}
		if e.Number > 0 {
			yield(e)
		}
	}
}
