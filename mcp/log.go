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
	lineLimit = 8 << 10
	fileLimit = 10 << 20
	fileCount = 10 // files of all processes that are kept
)

// Logger returns a logger that writes records of at least the given level to stderr. If dir is
// not empty, it also writes all records to a new file dir/NAME-debug-TIME-PID.log and prints that
// path. If the file cannot be made, Logger logs one warning and does not fail.
func Logger(stderr io.Writer, level slog.Level, dir, name string) (log *slog.Logger, done func() error) {
	text := slog.NewTextHandler(&bounded{w: stderr}, &slog.HandlerOptions{Level: level})
	if dir == "" {
		return slog.New(text), func() error { return nil }
	}
	file, err := openDebug(dir, name)
	if err != nil {
		log = slog.New(text)
		log.Warn("no debug log", "err", err)
		return log, func() error { return nil }
	}
	fmt.Fprintf(stderr, "debug log: %s\n", file.Name())
	detail := slog.NewTextHandler(&bounded{w: file}, &slog.HandlerOptions{Level: slog.LevelDebug}).
		WithAttrs([]slog.Attr{slog.Int("pid", os.Getpid())})
	return slog.New(slog.NewMultiHandler(text, detail)), func() error { return file.Close() }
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

// debugFile is the private debug log of this process. A full file is followed by a new one.
type debugFile struct {
	*os.File
	dir, name string
	limit     int64 // bytes after which a new file follows
	size      int64
}

// openDebug makes the first file, or returns why it cannot.
func openDebug(dir, name string) (*debugFile, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// An existing directory may be writable by everyone; Windows has no such modes.
	if info, err := os.Stat(dir); err == nil && os.PathSeparator == '/' && info.Mode().Perm()&0o002 != 0 {
		return nil, fmt.Errorf("%s is writable by everyone", dir)
	}
	d := &debugFile{dir: dir, name: name, limit: fileLimit}
	return d, d.next()
}

// next makes a new file and removes the oldest files of the same name. It does not follow a
// symbolic link.
func (d *debugFile) next() error {
	name := fmt.Sprintf("%s-debug-%s-%d.log", d.name, time.Now().UTC().Format("20060102T150405.000000"), os.Getpid())
	file, err := os.OpenFile(filepath.Join(d.dir, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if d.File != nil {
		_ = d.File.Close()
	}
	d.File, d.size = file, 0
	files, _ := fs.Glob(os.DirFS(d.dir), d.name+"-debug-*.log") // sorted, so the oldest are first
	for len(files) > fileCount {
		_ = os.Remove(filepath.Join(d.dir, files[0])) // on Windows it stays while its process writes
		files = files[1:]
	}
	return nil
}

// Write appends a line. [slog] calls it from one goroutine at a time.
func (d *debugFile) Write(line []byte) (int, error) {
	if d.size >= d.limit {
		if err := d.next(); err != nil {
			return 0, err
		}
	}
	n, err := d.File.Write(line)
	d.size += int64(n)
	return n, err
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
	project := ""
	if c.d.o.CountProjects {
		project = c.project
	}
	c.d.counts.countCall(project, verb, outcome, took)
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
