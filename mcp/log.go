package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"blue/blue"
	"blue/errors"
	"blue/mcp/internal/transport"
)

// Bounds of the debug log.
const (
	lineLimit   = 8 << 10
	fileLimit   = 10 << 20
	formerOnes  = 4           // full files that are kept
	logPatience = time.Second // for another process that is writing
)

// Logger logs to standard error what is at least of the level and, when dir is not empty,
// everything to the file mcp-debug.log in it, whose path is printed. A file that cannot be
// opened is one warning, not a failure.
func Logger(stderr io.Writer, level slog.Level, dir string) (log *slog.Logger, done func() error) {
	text := slog.NewTextHandler(&bounded{w: stderr}, &slog.HandlerOptions{Level: level})
	if dir == "" {
		return slog.New(text), func() error { return nil }
	}
	file, err := openDebug(dir)
	if err != nil {
		log = slog.New(text)
		log.Warn("no debug log", "err", err)
		return log, func() error { return nil }
	}
	fmt.Fprintf(stderr, "debug log: %s\n", file.path)
	detail := slog.NewTextHandler(&bounded{w: file}, &slog.HandlerOptions{Level: slog.LevelDebug}).
		WithAttrs([]slog.Attr{slog.Int("pid", os.Getpid())}) // several processes write to it
	return slog.New(slog.NewMultiHandler(text, detail)), file.Close
}

// bounded cuts lines that are too long and says how much is left out.
type bounded struct{ w io.Writer }

func (b *bounded) Write(line []byte) (int, error) {
	if len(line) <= lineLimit {
		return b.w.Write(line)
	}
	short := fmt.Appendf(nil, "%s … %d bytes more\n", errors.Cut(string(line), lineLimit-40), len(line)-lineLimit+40)
	_, err := b.w.Write(short)
	return len(line), err
}

// debugFile is a private file to which several processes append, one at a time; in this one
// it belongs to one handler, which has a mutex. When it is full it is begun anew, and the
// former ones stay beside it: .1 is the youngest. It is open only while a line is written,
// for Windows renames no file that is open.
type debugFile struct {
	path  string
	limit int64
	lock  *os.File // held while a line is written
	stuck bool     // whether the last wait for it was in vain
}

// openDebug makes the file, or says why it cannot be used.
func openDebug(dir string) (*debugFile, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// One that is there already may be writable by everyone; Windows has no such modes.
	if info, err := os.Stat(dir); err == nil && os.PathSeparator == '/' && info.Mode().Perm()&0o002 != 0 {
		return nil, fmt.Errorf("%s is writable by everyone", dir)
	}
	d := &debugFile{path: filepath.Join(dir, "mcp-debug.log"), limit: fileLimit}
	file, err := openPrivate(d.path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if d.lock, err = openPrivate(d.path+".lock", os.O_RDWR); err != nil {
		return nil, err
	}
	switch err := tryLock(d.lock); {
	case err == nil:
		return d, unlock(d.lock)
	case errors.Is(err, errLocked):
		return d, nil
	default:
		return nil, errors.Join(fmt.Errorf("locking %s: %w", d.lock.Name(), err), d.lock.Close())
	}
}

// openPrivate opens a file, unless its name leads anywhere else.
func openPrivate(path string, how int) (*os.File, error) {
	if was, err := os.Lstat(path); err == nil && !was.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.OpenFile(path, how|os.O_CREATE|noFollow, 0o600)
}

// Write appends a line. One that waits in vain for another process is written all the same,
// but then nothing is renamed.
func (d *debugFile) Write(line []byte) (int, error) {
	locked := d.waitForLock()
	if locked {
		defer unlock(d.lock)
	}
	file, err := openPrivate(d.path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return 0, err
	}
	n, err := file.Write(line)
	info, sizeErr := file.Stat()
	if err = errors.Join(err, sizeErr, file.Close()); err == nil && locked && info.Size() >= d.limit {
		err = d.rotate()
	}
	return n, err
}

// waitForLock reports whether this process may rename files. Behind one that was stopped
// with the lock it waits once, not at each line.
func (d *debugFile) waitForLock() bool {
	end := time.Now().Add(logPatience)
	if d.stuck {
		end = time.Time{}
	}
	for {
		if d.stuck = tryLock(d.lock) != nil; !d.stuck {
			return true
		}
		if d.stuck = time.Now().After(end); d.stuck {
			return false
		}
		time.Sleep(time.Millisecond)
	}
}

// rotate gives each file the name of the next older one. What cannot be renamed stays where
// it is, and so do all younger ones, until the next line.
func (d *debugFile) rotate() error {
	for n := formerOnes; n > 0; n-- {
		from := d.path
		if n > 1 {
			from = fmt.Sprintf("%s.%d", d.path, n-1)
		}
		if err := os.Rename(from, fmt.Sprintf("%s.%d", d.path, n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (d *debugFile) Close() error { return d.lock.Close() }

// logCall notes that a call was made; its texts are not in it. Where nobody reads the note,
// no argument is screened for it.
func (d *door) logCall(ctx context.Context, c *call, took time.Duration, err error) {
	if c.d.o.Host != nil {
		c.logHosted(ctx, took, err)
		return
	}
	if !c.log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	attrs := []any{
		"tool", c.req.Params.Name, "took", took.Round(time.Microsecond),
		"arguments", shortArguments(c.req.Params.Arguments),
	}
	if err != nil {
		attrs = append(attrs, "error", errors.Cut(err.Error(), 200))
	}
	c.log.InfoContext(ctx, "call", attrs...)
}

func (c *call) logger() *slog.Logger {
	era := "legacy"
	if c.modern {
		era = "modern"
	}
	version := ""
	if info := c.req.ClientInfo(); info != nil {
		version = info.Version
	}
	return c.d.o.Log.With("era", era, "transport", c.d.transport(),
		"client", errors.Cut(c.name+"/"+version, 100), "session", errors.Cut(c.req.Session.ID(), 12))
}

func (d *door) transport() string {
	if d.web != nil {
		return "http"
	}
	return "stdio"
}

// secretArguments are those of which a log names the length alone.
var secretArguments = []string{"body", "append", "old_text", "new_text"}

// shortArguments are the arguments of a call as a log may show them: no text of a note, and
// no secret wherever it was sent.
func shortArguments(raw json.RawMessage) string {
	var members map[string]any
	if json.Unmarshal(raw, &members) != nil {
		return fmt.Sprintf("%d bytes that are no object", len(raw))
	}
	for name, value := range members {
		text, isText := value.(string)
		switch {
		case isText && (len(text) > lineLimit || slices.Contains(secretArguments, name)):
			members[name] = len(text)
		case slices.Contains(secretArguments, name), blue.HoldsSecret(name), blue.HoldsSecret(fmt.Sprint(value)):
			delete(members, name)
			members["left out"] = true
		}
	}
	data, _ := json.Marshal(members)
	return errors.Cut(string(data), 200)
}

// traceParent is what a client says of the trace that its request belongs to.
var traceParent = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// logHosted notes that a call was made: no argument, for that would be text of a note, and
// of a failure its kind alone.
func (c *call) logHosted(ctx context.Context, took time.Duration, err error) {
	outcome := "done"
	if err != nil {
		outcome = string(errors.Of(err).Kind)
	}
	verb := strings.TrimPrefix(c.req.Params.Name, toolStart)
	label := counted{verb: verb, outcome: outcome}
	if c.d.o.CountProjects {
		label.project = c.project
	}
	c.d.counts.countCall(label, took)
	request, subject := transport.Origin(c.req.Extra)
	attrs := []slog.Attr{
		slog.String("request", request), slog.String("subject", subject), slog.String("project", c.project),
		slog.String("verb", verb), slog.String("outcome", outcome), slog.Int("status", http.StatusOK),
		transport.Milliseconds(took),
	}
	if extra := c.req.Extra; extra != nil {
		if parent := extra.Header.Get("Traceparent"); traceParent.MatchString(parent) {
			attrs = append(attrs, slog.String("traceparent", parent))
		}
	}
	level := slog.LevelInfo
	if outcome == string(errors.Internal) || outcome == string(errors.Disk) {
		level = slog.LevelError
		attrs = append(attrs, slog.String("err", errors.Cut(errors.Of(err).Message, 200)))
	}
	c.log.LogAttrs(ctx, level, "call", attrs...)
}
