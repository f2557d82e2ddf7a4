// Package program is the process of Blue: it reads the environment and the user's directories,
// and connects the core, package blue, with its doors: blue/cli, mcp, blue/page and blue/server. It
// is apart from main.go so that a test binary can be the program too.
package program

import (
	"context"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/adrg/xdg"
	"golang.org/x/term"

	"blue/blue"
	"blue/blue/cli"
	"blue/blue/page"
	"blue/blue/server"
	"blue/mcp"
)

// Run runs the command line of this process and returns its exit code. The time is that of now.
func Run(now func() time.Time) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)                            // a second signal ends the process at once
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // then writing to a closed pipe fails
	program := self()
	home, _ := os.UserHomeDir() // empty if unknown
	dir, _ := syscall.Getwd()   // empty if removed; os.Getwd would trust $PWD
	level := new(slog.LevelVar)
	level.Set(slog.LevelWarn)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	b := blue.New(blue.Options{
		Home: home, Cache: xdg.CacheHome, State: xdg.StateHome, Config: xdg.ConfigHome, Data: xdg.DataHome,
		User: os.Getenv("USER"), Env: os.Getenv, Now: now, Log: log,
	})
	defer b.Close()
	std := cli.IO{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Dir: dir, Self: program,
		Typed: terminal(os.Stdin), Watched: terminal(os.Stderr), Pager: pager(os.LookupEnv),
		Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", Exit: os.Exit,
		Quiet: func() { level.Set(math.MaxInt) },
	}
	std.Width, std.Height = size(os.Stdout)
	return cli.Run(ctx, os.Args, std, b, servers{b, dir, log})
}

// servers implements cli.Servers for this process.
type servers struct {
	b   *blue.Blue
	dir string
	log *slog.Logger
}

func (s servers) Page(ctx context.Context, call blue.Call, port int, readOnly bool, again <-chan struct{}, ready func(url string)) error {
	return page.Serve(ctx, page.Options{Blue: s.b, Log: s.log, Call: call, Port: port, ReadOnly: readOnly, Again: again, Ready: ready})
}

func (s servers) MCP(ctx context.Context, o mcp.Options, h mcp.HTTP, debug bool) error {
	level, file := slog.LevelInfo, ""
	if h.Addr == "" {
		level = slog.LevelWarn
	}
	if debug {
		file = s.b.Directory("state")
	}
	log, done := mcp.Logger(os.Stderr, level, file, "mcp")
	defer done()
	log.Debug("starting", "version", o.Version, "arguments", strings.Join(os.Args[1:], " "), "dir", s.dir)
	o.Dir, o.Blue, o.Env, o.Log = s.dir, s.b, os.Getenv, log
	if h.Addr == "" {
		return mcp.Serve(ctx, o, os.Stdin, os.Stdout)
	}
	return mcp.ServeHTTP(ctx, o, h, os.Stderr)
}

func (s servers) Host(ctx context.Context, of server.Options, o mcp.Options, h mcp.Hosting) error {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	of.Blue, of.Log = s.b, log
	projects, err := server.Open(ctx, of)
	if err != nil {
		return err
	}
	defer projects.Close()
	o.Blue, o.Env, o.Log, o.Host = s.b, os.Getenv, log, projects
	if i := of.Issuer; i.Client != "" {
		if o.Pages, err = page.NewHosted(page.HostedOptions{
			Host: projects, Blue: s.b, Log: log, URL: i.Audience, Issuer: i.URL, Client: i.Client, Secret: i.Secret,
		}); err != nil {
			return err
		}
	}
	return mcp.ServeHosted(ctx, o, h, func(url string) { log.Info("serving", "url", url, "version", o.Version) })
}

// TrustAuthorities implements [cli.Servers].
func (s servers) TrustAuthorities() { server.TrustAuthorities() }

// self returns the path by which this program was started.
func self() string {
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		if path, err = filepath.Abs(path); err == nil {
			return path
		}
	}
	path, _ := os.Executable()
	return path
}

// terminal reports whether a file is a terminal.
func terminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// size returns the columns and rows of a terminal, 80 and 24 if they are unknown, and 0 if f is no
// terminal.
func size(f *os.File) (columns, rows int) {
	if !terminal(f) {
		return 0, 0
	}
	if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 && rows > 0 {
		return columns, rows
	}
	return 80, 24
}

// pager returns the command line of the user's pager, empty for none.
func pager(lookup func(name string) (string, bool)) string {
	for _, name := range []string{"BLUE_PAGER", "PAGER"} {
		if command, set := lookup(name); set {
			return command
		}
	}
	return "less"
}
