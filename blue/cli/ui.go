package cli

import (
	"fmt"
	"os/exec"
	"runtime"
	"strconv"

	"github.com/urfave/cli/v2"

	"blue/blue"
	"blue/errors"
)

// Page holds the options of `blue ui`.
type Page struct {
	Call     blue.Call // names the project
	Port     int       // 0 picks a free port
	ReadOnly bool
	Ready    func(url string) // shows the link that opens the page
}

// blue ui [--port N] [--read-only] [--no-open] [--cwd DIR]
func (d *door) ui() *cli.Command {
	return &cli.Command{
		Name: "ui", Usage: "open the notes in the browser, to read and change them",
		Description: "Only this machine reaches the page, and only the browser that opens the link first.\n" +
			"It shows what agents write as they write it, and ends with Ctrl-C.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "port", Usage: "listen on port `N` of 127.0.0.1 (default: a free one)"},
			&cli.BoolFlag{Name: "read-only", Usage: "change nothing"},
			&cli.BoolFlag{Name: "no-open", Usage: "only print the link; it opens the page once"},
			cwdFlag(),
		},
		Action: func(c *cli.Context) error {
			port, err := portOf(c.String("port"))
			if err != nil {
				return err
			}
			if _, err := d.b.Open(c.Context, d.call(c)); err != nil {
				return err
			}
			return d.serve(c.Context, Serving{Page: &Page{
				Call: d.call(c), Port: port, ReadOnly: c.Bool("read-only"),
				Ready: func(url string) { d.ready(url, !c.Bool("no-open") && d.std.Width > 0) },
			}})
		},
	}
}

func portOf(text string) (int, error) {
	port, err := strconv.Atoi(text)
	if text != "" && (err != nil || port < 0 || port > 65535) {
		return 0, errors.BadValue("--port", text, "a number from 0 to 65535")
	}
	return port, nil
}

// ready prints the link and opens it if a person is watching.
func (d *door) ready(url string, open bool) {
	if _, err := fmt.Fprintln(d.out, url); err != nil {
		d.out.failed = nil // printed on standard error
		fmt.Fprintln(d.std.Err, url)
	}
	fmt.Fprintln(d.std.Err, "The link opens the page once, in one browser. Ctrl-C ends it.")
	if !open {
		return
	}
	if err := d.browse(url); err != nil {
		fmt.Fprintf(d.std.Err, "blue: warning: no browser was opened: %v\n", err)
	}
}

// browse opens the link in the person's browser, which outlives this process. It fails silently
// without a desktop.
func (d *door) browse(url string) error {
	words := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		words[0] = "open"
	case "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	default:
		if d.b.Env("DISPLAY")+d.b.Env("WAYLAND_DISPLAY") == "" {
			return nil
		}
	}
	opener := exec.Command(words[0], words[1:]...)
	if err := opener.Start(); err != nil {
		return err
	}
	return opener.Process.Release()
}
