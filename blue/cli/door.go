package cli

import (
	"context"
	"io"
	"log/slog"

	"github.com/urfave/cli/v2"

	"blue/blue"
)

// IO is what a command line is run with.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	Dir      string // the working directory, empty when it is gone
	Self     string // path of the running binary, for demo
	Width    int    // columns of Out when it is a terminal, else 0
	Typed    bool   // In is a terminal
	Watched  bool   // Err is a terminal
	Color    bool

	Exit  func(code int)                                         // ends the process at once, whatever still waits for a disk
	Quiet func(debug bool) (log *slog.Logger, done func() error) // ends what is logged to Err; with debug a file gets it
}

// Serving is what `blue mcp` asked for, or `blue ui`.
type Serving struct {
	Page    *Page   // nil but for blue ui
	Host    *Host   // nil but for blue server
	Project *string // --project, nil when not given
	Debug   bool
	HTTP    HTTP

	Structured bool // results have structured content beside the text
}

// Serve runs the MCP server until its input ends. It is handed in by main, for
// the two doors do not know each other.
type Serve func(ctx context.Context, s Serving) error

// door is one run of the terminal door.
type door struct {
	std   IO
	out   *output // std.Out, whose failures count
	b     *blue.Blue
	serve Serve
	json  bool
	of    *cli.Command // that runs, nil before one does

	progress *progress // of that command; nil if standard error is not a terminal
	code     int       // what a command that has shown its result exits with
}
