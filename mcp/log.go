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
	"sync"
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
	logPatience = time.Second // how long to wait for another process that writes
)

// Logger returns a logger that writes records of at least the given level to stderr. If dir is
// not empty, it also writes all records to dir/mcp-debug.log and prints that path. If the file
// cannot be opened, Logger logs one warning and does not fail.
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
		WithAttrs([]slog.Attr{slog.Int("pid", os.Getpid())}) // several processes write to the file
	return slog.New(slog.NewMultiHandler(text, detail)), file.Close
}

// bounded truncates long lines and says how many bytes are missing.
type bounded struct{ w io.Writer }

func (b *bounded) Write(line []byte) (int, error) {
	if len(line) <= lineLimit {
		return b.w.Write(line)
	}
	short := fmt.Appendf(nil, "%s … %d bytes more\n", errors.Cut(string(line), lineLimit-40), len(line)-lineLimit+40)
	_, err := b.w.Write(short)
	return len(line), err
}

// debugFile is a private file to which several processes append, one at a time; within a
// process the handler's mutex serializes writes. A full file is renamed and a new one started;
// .1 is the youngest of the old ones. The file is open only while a line is written, because
// Windows cannot rename an open file.
type debugFile struct {
	mu    sync.Mutex // keeps Close from a line that is being written
	path  string
	limit int64
	lock  *os.File // held while a line is written
	stuck bool     // whether the last wait for the lock timed out
}

// openDebug creates the file, or returns why it cannot be used.
func openDebug(dir string) (*debugFile, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// An existing directory may be writable by everyone; Windows has no such modes.
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

// openPrivate opens or creates a regular file; it does not follow a symbolic link.
func openPrivate(path string, how int) (*os.File, error) {
	if was, err := os.Lstat(path); err == nil && !was.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.OpenFile(path, how|os.O_CREATE|noFollow, 0o600)
}

// Write appends a line. If the wait for another process times out, it writes the line without
// the lock and does not rotate.
func (d *debugFile) Write(line []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
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

// waitForLock reports whether this process may rename files. If another process was stopped
// while it held the lock, only the first line waits, not each one.
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

// rotate gives each file the name of the next older one. If a rename fails, that file and all
// younger ones keep their names until the next line.
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

// Close releases the lock. A line that is written later, by a call that outlasts the server, does
// without it.
func (d *debugFile) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lock.Close()
}

// logCall logs a call without the texts in it. If the level is disabled, it does not screen the
// arguments.
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

// secretArguments are the arguments of which a log shows only the length.
var secretArguments = []string{"body", "append", "old_text", "new_text"}

// shortArguments returns the arguments of a call as a log may show them: without texts of notes
// and without secrets, whichever argument holds them.
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

// traceParent matches the traceparent header by which a client names its trace.
var traceParent = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// logHosted logs a call without its arguments, which hold texts of notes. Of a failure it logs
// the kind; the message only if the kind is Internal or Disk.
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
