package mcp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"blue/errors"
)

// Bounds of the debug log (reliability.md section 11).
const (
	lineLimit = 8 << 10
	fileLimit = 10 << 20
)

// Logger logs to standard error and, when dir is not empty, everything to the
// file mcp-debug.log in it, whose path is printed. A file that cannot be opened is
// one warning, not a failure (detection.md section 12).
func Logger(stderr io.Writer, dir string) (log *slog.Logger, done func() error) {
	text := slog.NewTextHandler(&bounded{w: stderr}, nil)
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
	detail := slog.NewTextHandler(&bounded{w: file}, &slog.HandlerOptions{Level: slog.LevelDebug})
	return slog.New(slog.NewMultiHandler(text, detail)), file.Close
}

// bounded cuts lines that are too long and says how much is left out.
type bounded struct{ w io.Writer }

func (b *bounded) Write(line []byte) (int, error) {
	if len(line) <= lineLimit {
		return b.w.Write(line)
	}
	short := fmt.Appendf(nil, "%s … %d bytes more\n", cut(string(line), lineLimit-40), len(line)-lineLimit+40)
	_, err := b.w.Write(short)
	return len(line), err
}

// debugFile is a private file that is begun anew when it is full, the former one
// kept beside it.
type debugFile struct {
	path string
	mu   sync.Mutex
	f    *os.File
	size int64
}

func openDebug(dir string) (*debugFile, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	d := &debugFile{path: filepath.Join(dir, "mcp-debug.log")}
	return d, d.open()
}

// open opens the file unless its name leads anywhere else.
func (d *debugFile) open() error {
	was, err := os.Lstat(d.path)
	if err == nil && !was.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", d.path)
	}
	d.f, err = os.OpenFile(d.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|noFollow, 0o600)
	if err != nil {
		return err
	}
	if was != nil {
		d.size = was.Size()
	}
	return nil
}

func (d *debugFile) Write(line []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.size > 0 && d.size+int64(len(line)) > fileLimit {
		err := errors.Join(d.f.Close(), os.Rename(d.path, d.path+".1"))
		d.size = 0
		if err = errors.Join(err, d.open()); err != nil {
			return 0, err
		}
	}
	n, err := d.f.Write(line)
	d.size += int64(n)
	return n, err
}

func (d *debugFile) Close() error { return d.f.Close() }

// logCall notes that a call was made; its texts are not in it. Where nobody reads
// the note, no argument is screened for it.
func (d *door) logCall(ctx context.Context, c *call, took time.Duration, err error) {
	if !c.log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	attrs := []any{"tool", c.req.Params.Name, "took", took.Round(time.Microsecond), "arguments", shortArguments(c.req.Params.Arguments)}
	if err != nil {
		attrs = append(attrs, "error", cut(err.Error(), 200))
	}
	c.log.InfoContext(ctx, "call", attrs...)
}
