package cli

import (
	"context"
	"io"
	"log/slog"

	"github.com/urfave/cli/v2"

	"blue/blue"
)

// IO is the environment of a command.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	Dir      string // working directory, empty if it was removed
	Self     string // path of this binary, for demo
	Width    int    // columns of Out if it is a terminal, else 0
	Typed    bool   // In is a terminal
	Watched  bool   // Err is a terminal
	Color    bool

	Exit  func(code int)                                         // ends the process immediately, even if a goroutine waits for a disk
	Quiet func(debug bool) (log *slog.Logger, done func() error) // stops logging to Err; with debug, logs to a file
}

// Serving holds the options of `blue mcp`, `blue ui` or `blue server`.
type Serving struct {
	Page    *Page   // only for blue ui
	Host    *Host   // only for blue server
	Project *string // --project, nil when not given
	Debug   bool
	HTTP    HTTP

	Structured bool // results have structured content in addition to text
}

// Serve runs a server until its input ends. Main passes it in, so that this package does not import
// mcp.
type Serve func(ctx context.Context, s Serving) error

// door is one run of a command line.
type door struct {
	std   IO
	out   *output // std.Out, with its first error
	b     *blue.Blue
	serve Serve
	json  bool
	of    *cli.Command // the running command, nil before one is found

	progress *progress // progress of the command, nil if standard error is not a terminal
	code     int       // exit code of a command that has shown its result
}
