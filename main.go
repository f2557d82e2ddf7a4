// Command blue keeps a project's notes for coding agents and the people beside
// them. Package blue is the core, blue/cli, mcp and blue/page are its doors; here
// they are joined, and the environment and the user's directories are read once.
package main

import (
	"context"
	"io"
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
	"blue/blue/build"
	"blue/blue/cli"
	"blue/blue/page"
	"blue/blue/server"
	"blue/marker/mount"
	"blue/mcp"
)

func main() { os.Exit(run(time.Now)) }

// run is the whole program; it returns the exit code. Tests give it their clock.
func run(now func() time.Time) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)                            // a second signal ends the process at once
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // writing to a closed pipe is an error then
	program := self()
	mount.Use(program)
	home, _ := os.UserHomeDir()  // not known: empty
	system, _ := syscall.Getwd() // gone: empty, and detection says so; os.Getwd believes what PWD says
	level := new(slog.LevelVar)
	level.Set(slog.LevelWarn)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	b := blue.New(blue.Options{
		Home: home, Cache: xdg.CacheHome, State: xdg.StateHome, Config: xdg.ConfigHome, Data: xdg.DataHome,
		User: os.Getenv("USER"), Env: os.Getenv, Now: now, Log: log,
	})
	defer b.Close()
	dir := b.WorkingDir(system)
	logger := func(w io.Writer, level slog.Level, debug bool) (*slog.Logger, func() error) {
		return mcp.Logger(w, level, map[bool]string{true: b.Directory("state")}[debug])
	}
	std := cli.IO{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Dir: dir, Self: program,
		Width: width(os.Stdout), Typed: terminal(os.Stdin), Watched: terminal(os.Stderr),
		Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", Exit: os.Exit,
		Quiet: func(debug bool) (*slog.Logger, func() error) {
			level.Set(math.MaxInt)
			return logger(io.Discard, slog.LevelWarn, debug)
		},
	}
	return cli.Run(ctx, os.Args, std, b, func(ctx context.Context, s cli.Serving) error {
		if at := s.Page; at != nil {
			return page.Serve(ctx, page.Options{Blue: b, Log: log, Call: at.Call, Port: at.Port, ReadOnly: at.ReadOnly, Ready: at.Ready})
		}
		if s.Host != nil {
			return host(ctx, *s.Host, b)
		}
		onStdio := s.HTTP.Addr == ""
		log, done := logger(os.Stderr, map[bool]slog.Level{true: slog.LevelWarn, false: slog.LevelInfo}[onStdio], s.Debug)
		defer done()
		log.Debug("starting", "version", build.Version(), "arguments", strings.Join(os.Args[1:], " "), "dir", dir)
		o := mcp.Options{Version: build.Version(), Project: s.Project, Dir: dir, Blue: b, Env: os.Getenv, Log: log, Structured: s.Structured}
		if onStdio {
			return mcp.Serve(ctx, o, os.Stdin, os.Stdout)
		}
		return mcp.ServeHTTP(ctx, o, mcp.HTTP(s.HTTP), os.Stderr)
	})
}

// host serves the projects of a database.
func host(ctx context.Context, h cli.Host, b *blue.Blue) error {
	projects, err := server.Open(ctx, server.Options{
		Store: h.Store, Blue: b, CacheSize: h.CacheSize, StaleReads: h.StaleReads,
		Issuer: server.Issuer{URL: h.Issuer, Audience: h.Audience, Subject: h.Subject, Groups: h.Groups, Client: h.Client, Secret: h.Secret},
	})
	if err != nil {
		return err
	}
	defer projects.Close()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	o := mcp.Options{Version: build.Version(), Blue: b, Env: os.Getenv, Log: log, Structured: h.Structured, Host: projects, CountProjects: h.MetricsProjects}
	if h.Client != "" {
		if o.Pages, err = page.NewHosted(page.HostedOptions{
			Host: projects, Blue: b, Log: log, URL: h.Audience, Issuer: h.Issuer, Client: h.Client, Secret: h.Secret,
		}); err != nil {
			return err
		}
	}
	return mcp.ServeHosted(ctx, o, mcp.Hosting(h.Hosting), func(url string) { log.Info("serving", "url", url, "version", build.Version()) })
}

// self is the path by which this program was started.
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

// width is how many columns a terminal has, 80 when it does not say, 0 for what is
// none.
func width(f *os.File) int {
	if !terminal(f) {
		return 0
	}
	if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
		return columns
	}
	return 80
}
