package cli

import (
	"context"
	"os"
	"os/exec"

	"github.com/urfave/cli/v2"

	"blue/marker"
)

// blue __probe DIR
//
// It ends when the directory answers.
func (d *door) probe() *cli.Command {
	return &cli.Command{
		Name: "__probe", Hidden: true, SkipFlagParsing: true,
		Action: func(c *cli.Context) error {
			_, _ = os.Lstat(c.Args().First()) // that it answers is all that is asked
			return nil
		},
	}
}

// answers reports whether a directory answers before ctx ends. Where it may hang, a child
// process touches it first: no signal ends a thread that waits for such a disk, and this
// process could not end before it.
func (d *door) answers(ctx context.Context, dir string) bool {
	mounts, _ := os.ReadFile("/proc/self/mountinfo") // of Linux
	if d.std.Self == "" || !marker.MayHang(string(mounts), dir) {
		return true
	}
	c := exec.Command(d.std.Self, "__probe", dir)
	c.Dir = "/"
	if err := c.Start(); err != nil {
		return true
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		_ = c.Process.Kill() // a thread that hangs ends when its disk answers
		return false
	}
}
