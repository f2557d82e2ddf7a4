package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"blue/errors"
)

// Erased replaces erased names in the audit and the history. No subject can have that name.
const Erased = "(erased)"

// The verbs of audit lines that explain why others were changed or are missing.
const (
	verbErase = "erase"
	verbPrune = "prune"
)

// Removal counts what an operator has erased or pruned.
type Removal struct{ Texts, Notes, Lines int64 }

const removalFormat = "texts:%d removed-notes:%d audit-lines:%d"

// String returns the note of the audit line.
func (r Removal) String() string { return fmt.Sprintf(removalFormat, r.Texts, r.Notes, r.Lines) }

// linesOf returns the number of audit lines that a removal has erased.
func linesOf(note string) (lines int64) {
	var texts, notes int64
	_, _ = fmt.Sscanf(note, removalFormat, &texts, &notes, &lines)
	return lines
}

// Chain is the result of a check of a project's audit.
type Chain struct {
	Project   string   // its name, or its id if it is gone; "" for lines of no project
	Lines     int64    // in the chain
	Unchained int64    // written before there was a chain
	Erased    int64    // lines of the chain that were erased
	Head      string   // the hash of the last line
	Faults    []string // what erasures and prunings do not explain
}

// The sizes of the parts of a link, see the column in schema.go.
const (
	numberSize = 8
	hashSize   = 16
	saltSize   = 8
)

// chained is a line of the audit with its link, and the head of the chain that it is in.
type chained struct {
	id, project string // the name of the project, or its id
	headLine    *int64 // nil without a chain
	headHash    []byte
	link        []byte
	at          *int64   // nil for a chain without lines
	fields      []string // of the digest, without the salt and the project

	line         int64
	hash, digest []byte
	erased       bool
}

// parse sets the fields that follow from the link.
func (c *chained) parse() {
	c.line, c.hash, c.digest = numberIn(c.link), hashIn(c.link), c.link[numberSize+hashSize:]
	if c.erased = len(c.digest) == hashSize; c.erased {
		return
	}
	h := sha256.New()
	for _, field := range append([]string{hex.EncodeToString(c.digest), c.id}, c.fields...) {
		fmt.Fprintf(h, "%d:%s", utf8.RuneCountInString(field), field)
	}
	c.digest = h.Sum(nil)[:hashSize]
}

// Indexes of fields of a line.
const (
	verbField = iota + 5
	noteField
	beforeField
)

// isSound reports whether a link has a valid size.
func isSound(link []byte) bool {
	rest := len(link) - numberSize - hashSize
	return rest == saltSize || rest == hashSize
}

func numberIn(link []byte) int64 { return int64(binary.BigEndian.Uint64(link)) }

func hashIn(link []byte) []byte { return link[numberSize : numberSize+hashSize] }

// value returns the text that p points to, or "" for nil.
func value(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// chainCheck checks the lines of one project, in the order of the chain.
type chainCheck struct {
	Chain
	first, last chained  // in the chain so far
	anchors     [][]byte // hashes of the last lines that were pruned
	declared    int64    // number of erased lines according to the lines about erasures
	lastErased  int64    // the last line that was erased
	lastErasure int64    // the last line of an erasure
	lastLoose   int64    // the time of the last line without a link
}

// maxFaults is the maximum number of faults reported for a project.
const maxFaults = 10

func (k *chainCheck) fault(format string, args ...any) {
	if len(k.Faults) < maxFaults {
		k.Faults = append(k.Faults, fmt.Sprintf(format, args...))
	}
}

// add checks the next line.
func (k *chainCheck) add(c chained) {
	if !isSound(c.link) {
		k.Unchained++
		k.lastLoose = max(k.lastLoose, *c.at)
		return
	}
	c.parse()
	switch {
	case k.Lines == 0:
		k.first = c
	case c.line != k.last.line+1:
		k.fault("lines are missing between %d and %d", k.last.line, c.line)
	case !bytes.Equal(c.hash, hashOf(k.last.hash, c.digest)):
		k.fault("line %d or the one before it was changed (%s)", c.line, time.Unix(0, *c.at).UTC().Format(time.RFC3339))
	}
	if c.erased {
		k.Erased++
		k.lastErased = c.line
	}
	switch c.fields[verbField] {
	case verbErase:
		k.declared += linesOf(c.fields[noteField])
		k.lastErasure = c.line
	case verbPrune:
		if anchor, err := hex.DecodeString(c.fields[beforeField]); err == nil {
			k.anchors = append(k.anchors, anchor)
		}
	}
	k.Lines++
	k.last, k.Head = c, hex.EncodeToString(c.hash)
}

// hashOf returns the hash of a line from that of the line before and its digest.
func hashOf(before, digest []byte) []byte {
	sum := sha256.Sum256(slices.Concat(before, digest))
	return sum[:hashSize]
}

// clocks is the tolerated difference between the clocks of replicas.
const clocks = time.Hour

// finish checks what depends on all lines, and the ends of the chain.
func (k *chainCheck) finish(head chained) {
	follows := func(anchor []byte) bool { return bytes.Equal(k.first.hash, hashOf(anchor, k.first.digest)) }
	switch {
	case k.Lines == 0:
	case k.first.line == 1 && !follows(nil):
		k.fault("line 1 was changed")
	case k.first.line != 1 && !slices.ContainsFunc(k.anchors, follows):
		k.fault("the lines before %d are missing, and no pruning says so", k.first.line)
	}
	if k.Lines > 0 && k.lastLoose > *k.first.at+int64(clocks) && k.first.line == 1 {
		k.fault("a line of %s has no link to the chain", time.Unix(0, k.lastLoose).UTC().Format(time.RFC3339))
	}
	if k.Erased > k.declared || k.lastErased > k.lastErasure {
		k.fault("%d lines were erased, the erasures say %d", k.Erased, k.declared)
	}
	switch {
	case head.headLine == nil && k.Lines > 0:
		k.fault("the chain has lost its head")
	case head.headLine != nil && (*head.headLine != k.last.line || !bytes.Equal(head.headHash, k.last.hash)):
		k.fault("the last lines are missing: line %d is the last", k.last.line)
	}
}

// VerifyAudit checks the hash chains of the audit, or of one project if it is named. It also
// looks for a head that an earlier check has returned, unless head is empty.
func (o *Operator) VerifyAudit(ctx context.Context, project, head string) (all []Chain, headFound bool, err error) {
	id, err := o.auditOf(ctx, project)
	if err != nil {
		return nil, false, err
	}
	headFound = head == ""
	var k *chainCheck
	var c, last chained
	var texts []*string // nil for a line that does not exist
	end := func() {
		if k != nil {
			k.finish(last)
			all = append(all, k.Chain)
		}
	}
	err = transact(ctx, o.conn, func() error {
		rows, _ := o.conn.Query(ctx, `SELECT coalesce(c.project, a.project), coalesce(p.name, c.project, a.project), c.line, c.hash, a.link, a.at,
			ARRAY[a.at::text, a.entry::text, a.seq::text, a.subject, a.client, a.verb, a.note, a.before, a.after, a.outcome]
		FROM blue.chain c FULL JOIN blue.audit a ON a.project = c.project LEFT JOIN blue.project p ON p.id = coalesce(c.project, a.project)
		WHERE $1::text IS NULL OR coalesce(c.project, a.project) = $1 ORDER BY 1, a.link, a.at`, id)
		_, err := pgx.ForEachRow(rows, []any{&c.id, &c.project, &c.headLine, &c.headHash, &c.link, &c.at, &texts}, func() error {
			if k == nil || last.id != c.id {
				end()
				k = &chainCheck{Chain: Chain{Project: c.project}}
			}
			if c.at != nil {
				c.fields = make([]string, len(texts))
				for i, text := range texts {
					c.fields[i] = value(text)
				}
				k.add(c)
				headFound = headFound || k.Head == head || c.fields[verbField] == verbPrune && c.fields[beforeField] == head
			}
			last = c
			return nil
		})
		return err
	})
	end()
	if err == nil {
		err = o.recordRead(ctx, value(id), "verify audit")
	}
	return all, headFound, explain(err)
}

// auditOf returns the id of the project whose audit is asked for, or nil for all.
func (o *Operator) auditOf(ctx context.Context, project string) (*string, error) {
	if project == "" {
		return nil, nil
	}
	id, err := o.projectID(ctx, project)
	return &id, err
}

// recordRead records in the audit that an operator has read what only operators and admins see.
func (o *Operator) recordRead(ctx context.Context, project, verb string) error {
	return o.send(ctx, func(b *pgx.Batch) { queueKept(b, project, verb, "") })
}

// Place returns the number of the line in the chain of its project, or 0, and the hash of the
// chain up to it.
func (a Audited) Place() (line int64, hash string) {
	if !isSound(a.Link) {
		return 0, ""
	}
	return numberIn(a.Link), hex.EncodeToString(hashIn(a.Link))
}

// Audit returns the audit lines since a time, oldest first, of one project if it is named.
func (o *Operator) Audit(ctx context.Context, project string, since time.Time) ([]Audited, error) {
	return o.readAudit(ctx, project, "read audit", "a.at >= $2 ORDER BY a.at, a.entry", since.UnixNano())
}

// settled is the age from which an audit line is exported. Before that, lines with an earlier
// time may still appear, because the transactions that write them have not ended and the clocks
// of replicas differ.
const settled = time.Minute

// ExportAudit returns at most that many audit lines after the one that after names, oldest
// first, of one project if it is named. after is empty, or the [Audited.Cursor] of a line.
func (o *Operator) ExportAudit(ctx context.Context, project, after string, most int) ([]Audited, error) {
	var at, entry int64
	if _, err := fmt.Sscanf(after, "%d.%d", &at, &entry); err != nil && after != "" {
		return nil, errors.BadValue("after", after, "the cursor of an exported line")
	}
	return o.readAudit(ctx, project, "export audit", "(a.at, a.entry) > ($2, $3) AND a.at < $4 ORDER BY a.at, a.entry LIMIT $5",
		at, entry, time.Now().Add(-settled).UnixNano(), most)
}

// Cursor returns the name of the line for [Operator.ExportAudit].
func (a Audited) Cursor() string { return fmt.Sprintf("%d.%d", a.At, a.Entry) }

func (o *Operator) readAudit(ctx context.Context, project, verb, where string, args ...any) ([]Audited, error) {
	id, err := o.auditOf(ctx, project)
	if err != nil {
		return nil, err
	}
	all, err := read[Audited](ctx, o, selectAudit+where, append([]any{id}, args...)...)
	if err == nil {
		err = o.recordRead(ctx, value(id), verb)
	}
	return all, err
}
