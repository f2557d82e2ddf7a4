package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/index"
	"blue/errors"
)

// Types of rows of the index.
const (
	kindExchange = "exchange"
	kindState    = "state"
)

// stateName is the name of the row that says which transcripts were read. No document precedes it.
const stateName = "#state"

// readShare is the share of the bytes of transcripts that counts in a step of a reading: most are
// output of tools, which is skipped.
const readShare = 8

// Config says what a shelf is about.
type Config struct {
	Dir      string       // of the index
	Settings Settings     // of the user
	Homes    func() Homes // returns where clients keep transcripts

	// Ours returns a function that reports whether a working directory belongs to the project. It
	// is called for each reading.
	Ours func() func(dir string) bool
}

// Shelf is the past sessions of one project: an index of their exchanges, whose texts it holds. Its
// methods are safe for concurrent use.
type Shelf struct {
	Config
	index.Reading // its lock guards known and version
	index         *index.Index
	close         context.CancelFunc
	known         state  // what the index held
	version       uint64 // at this version of it
	refreshed     bool   // since it was opened

	list  func(h Homes) []Transcript // List, or what a test has in its place
	parse func(t Transcript) iter.Seq2[Turn, error]
}

// Open returns the shelf of a project. It reads no transcript.
func Open(c Config) *Shelf {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Shelf{Config: c, index: index.Open(c.Dir), close: cancel, list: List, parse: Read}
	s.Process = ctx
	return s
}

// Close ends a reading and closes the index.
func (s *Shelf) Close() {
	s.close()
	s.Wait()
	_ = s.index.Close()
}

// Refresh brings the shelf in line with the transcripts. It waits for that up to patience and
// returns [index.ErrGoesOn] if it takes longer.
func (s *Shelf) Refresh(ctx context.Context, patience time.Duration) error {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	s.Lock()
	defer s.Unlock()
	for s.Runs() {
		if err := s.Await(ctx, limit.C); err == index.ErrGoesOn {
			return err
		}
	}
	transcripts, forgot, err := s.transcripts()
	first := !s.refreshed
	s.refreshed = true
	if err != nil || first && s.isSettled(transcripts, forgot) || s.loadState().isCurrent(transcripts, forgot, s.index.Len()) {
		return err
	}
	s.Begin(s.bring)
	return s.Await(ctx, limit.C)
}

// RefreshLater brings the shelf in line in the background. A fault there must not end the process:
// the next call that waits meets it again.
func (s *Shelf) RefreshLater() {
	go func() {
		defer func() { _ = recover() }()
		_ = s.Refresh(context.Background(), 0)
	}()
}

// Ready reports whether everything has been read before. It does not look at transcripts.
func (s *Shelf) Ready() bool {
	forgot, err := s.Settings.forgotten()
	s.Lock()
	defer s.Unlock()
	known := s.loadState()
	return err == nil && known.Complete && known.Forgot == forgot.stamp
}

// transcripts returns the transcripts that are not forgotten, by name.
func (s *Shelf) transcripts() (all []Transcript, forgot forgotten, err error) {
	if forgot, err = s.Settings.forgotten(); err != nil {
		return nil, forgot, errors.Unreadable(s.Settings.path(forgotFile), err)
	}
	newest := map[string]Transcript{} // a session may have been copied
	for _, t := range s.list(s.Homes()) {
		if other, twice := newest[t.name()]; !forgot.names[t.name()] && (!twice || t.Stamp.ModTime > other.Stamp.ModTime) {
			newest[t.name()] = t
		}
	}
	all = slices.SortedFunc(maps.Values(newest), func(a, b Transcript) int { return strings.Compare(a.name(), b.name()) })
	return all, forgot, nil
}

// settledFile says with which transcripts the files of the index agree. A process that has just opened
// these needs not verify them all to learn that nothing has changed.
const settledFile = "settled"

func (s *Shelf) isSettled(transcripts []Transcript, forgot forgotten) bool {
	text, err := os.ReadFile(filepath.Join(s.Dir, settledFile))
	return err == nil && string(text) == s.digest(transcripts, forgot)
}

// digest identifies transcripts and the number of documents of the index.
func (s *Shelf) digest(transcripts []Transcript, forgot forgotten) string {
	sum := index.Digest(fmt.Sprint(forgot.stamp), func(yield func(string, index.Stamp) bool) {
		for _, t := range transcripts {
			if !yield(t.name(), t.Stamp) {
				return
			}
		}
	})
	return fmt.Sprintf("%x %d\n", sum, s.index.Len())
}

// bring brings the index in line with the transcripts.
func (s *Shelf) bring(ctx context.Context) error {
	err := index.UntilIntact(func() error {
		err := s.read(ctx)
		if errors.Is(err, errInconsistent) {
			s.index.Discard()
			s.setState(state{})
			err = s.read(ctx)
		}
		return err
	})
	if !s.Settings.On() { // another process has switched them off
		return errors.Join(err, Remove([]string{s.Dir}))
	}
	return err
}

var (
	errInconsistent = errors.New("the index lacks documents")
	errSwitchedOff  = errors.New("past sessions were switched off")
)

// read reads the transcripts that have changed, in steps.
func (s *Shelf) read(ctx context.Context) error {
	transcripts, forgot, err := s.transcripts()
	if err != nil {
		return err
	}
	s.Lock()
	before := s.loadState()
	s.Unlock()
	s.Total.Store(int64(len(transcripts)))
	r := transcriptReader{Shelf: s, packer: newPacker(), forgot: forgot, ours: s.Ours()}
	err = s.InSteps(ctx, s.index, func(u *index.Step) error {
		if !s.Settings.On() {
			return errSwitchedOff
		}
		u.Files = len(transcripts)
		after := state{Forgot: forgot.stamp, Transcripts: map[string]entry{}}
		for _, t := range transcripts {
			e, known := before.Transcripts[t.name()]
			switch {
			case known && e.stamp() == t.Stamp:
			case u.Takes(t.Stamp.Size / readShare):
				if e, err = r.readTranscript(ctx, u, t); err != nil {
					return err
				}
				after.Transcripts[t.name()] = e
				s.Done.Add(1)
				continue
			case !known:
				continue
			default:
				e[sizeNumber] = -1 // read in a later step
			}
			for n := range e[documentsNumber] {
				if !u.Keep(documentName(t.name(), int(n))) {
					return errInconsistent
				}
			}
			after.Transcripts[t.name()] = e
		}
		after.Complete = u.IsLast()
		u.Load(stateName, 0, after.document)
		before = after
		return nil
	})
	s.index.Save()
	if err == nil && before.isCurrent(transcripts, forgot, s.index.Len()) {
		err = atomicfile.Target{Path: filepath.Join(s.Dir, settledFile), Volatile: true}.Replace([]byte(s.digest(transcripts, forgot)))
	}
	return err
}

// transcriptReader reads transcripts for one reading.
type transcriptReader struct {
	*Shelf
	*packer
	forgot forgotten
	ours   func(dir string) bool
}

// readTranscript reads a transcript and adds its exchanges in this project to an update.
func (r transcriptReader) readTranscript(ctx context.Context, u *index.Step, t Transcript) (e entry, err error) {
	e = makeEntry(index.MarkRacy(t.Stamp, time.Now()))
	if info, err := os.Stat(t.Path); err != nil || atomicfile.IsForeign(info) {
		return e, nil // it is gone, or of another user
	}
	last := 0
	c := collector{of: t, dir: t.Dir, took: func(x Exchange, question, dir string) {
		if x.Time.Before(r.forgot.before) || !r.ours(dir) {
			return
		}
		for _, d := range r.packer.documents(t, x, question, int(e[documentsNumber])) {
			u.Load(d.Name, int64(len(d.Body)+len(d.Extra)), func() (index.Document, bool, error) { return d, true, nil })
			e[documentsNumber]++
		}
		if x.Number != last {
			last = x.Number
			e[exchangesNumber]++
		}
	}}
	for turn, err := range r.parse(t) {
		if ctx.Err() != nil {
			return e, ctx.Err()
		}
		if err != nil { // the rest cannot be read
			break
		}
		c.add(turn)
	}
	c.flush()
	return e, nil
}

// Remove removes the indexes of past sessions in some directories.
func Remove(dirs []string) (err error) {
	for _, dir := range dirs {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// state says what an index holds.
type state struct {
	Forgot      index.Stamp      `json:"forgot"`   // of the list of what was forgotten
	Complete    bool             `json:"complete"` // all transcripts have been read
	Transcripts map[string]entry `json:"transcripts"`
}

// entry is a transcript that was read: its stamp, and what the index has of it.
type entry [6]int64

// Numbers of an entry.
const (
	sizeNumber = iota // -1 if the transcript must be read again
	modTimeNumber
	changeTimeNumber
	inodeNumber
	documentsNumber
	exchangesNumber
)

func makeEntry(s index.Stamp) entry {
	e := entry{s.Size, s.ModTime, s.ChangeTime, int64(s.Inode)}
	if s.Racy {
		e[sizeNumber] = -1
	}
	return e
}

func (e entry) stamp() index.Stamp {
	return index.Stamp{Size: e[sizeNumber], ModTime: e[modTimeNumber], ChangeTime: e[changeTimeNumber], Inode: uint64(e[inodeNumber])}
}

// loadState returns what the index holds. The caller holds the lock.
func (s *Shelf) loadState() state {
	if version := s.index.Version(); s.version != version || s.known.Transcripts == nil {
		s.known, s.version = state{}, version
		if row, ok := s.index.Row(stateName); ok && json.Unmarshal(row.Extra, &s.known) != nil {
			s.known = state{}
		}
	}
	return s.known
}

func (s *Shelf) setState(now state) {
	s.Lock()
	defer s.Unlock()
	s.known, s.version = now, s.index.Version()
}

// document returns the document that holds the state. It has no words.
func (s state) document() (d index.Document, ok bool, err error) {
	extra, err := json.Marshal(s)
	return index.Document{Row: index.Row{Name: stateName, Type: kindState, Extra: extra}}, true, err
}

// isCurrent reports whether an index of that many documents agrees with the transcripts.
func (s state) isCurrent(transcripts []Transcript, forgot forgotten, documents int) bool {
	if !s.Complete || s.Forgot != forgot.stamp || len(transcripts) != len(s.Transcripts) {
		return false
	}
	documents-- // the one of the state
	for _, t := range transcripts {
		e, known := s.Transcripts[t.name()]
		if !known || e.stamp() != t.Stamp {
			return false
		}
		documents -= int(e[documentsNumber])
	}
	return documents == 0
}

// count returns the sessions and exchanges of the project, by client and in total.
func (s state) count() (clients map[string]int, sessions, exchanges int) {
	clients = map[string]int{}
	for name, e := range s.Transcripts {
		if e[documentsNumber] > 0 {
			client, _, _ := strings.Cut(name, "/")
			clients[client]++
			sessions++
			exchanges += int(e[exchangesNumber])
		}
	}
	return clients, sessions, exchanges
}
