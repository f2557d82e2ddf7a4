package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/urfave/cli/v2"

	"blue/blue/setup"
	"blue/errors"
)

func (d *door) demo() *cli.Command {
	return &cli.Command{
		Name: "demo", Usage: "show in a temporary project how an agent writes, finds and reads a note",
		Action: func(c *cli.Context) error {
			base, err := os.MkdirTemp("", "blue-demo-*")
			if err != nil {
				return err
			}
			defer os.RemoveAll(base)
			ctx, stop := context.WithTimeout(c.Context, time.Minute)
			defer stop()
			return d.perform(ctx, base)
		},
	}
}

// perform creates a project and then writes, searches and reads a note as a client would.
func (d *door) perform(ctx context.Context, base string) error {
	project := filepath.Join(base, "shop")
	deep := filepath.Join(project, "internal", "pay")
	if err := errors.Join(os.MkdirAll(deep, 0o755), os.MkdirAll(filepath.Join(base, "home"), 0o755)); err != nil {
		return err
	}
	d.say("1. A project: blue init %s\n", project)
	if out, err := d.command(ctx, base, base, "init", project).CombinedOutput(); err != nil {
		return fmt.Errorf("initializing the demo project: %w: %s", err, out)
	}
	d.say("2. A client starts `blue mcp` in a subdirectory: %s\n", deep)
	client := mcp.NewClient(&mcp.Implementation{Name: "blue-demo", Version: setup.Version}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: d.command(ctx, base, deep, "mcp", "--structured")}, nil)
	if err != nil {
		return fmt.Errorf("starting blue mcp: %w", err)
	}
	if err := errors.Join(d.tour(ctx, session), session.Close()); err != nil {
		return err
	}
	d.say("\nThe same in a project of your own:\n\n  blue init                   # in the project\n" +
		"  blue setup claude-code      # or another client: blue setup lists those it finds\n")
	return nil
}

// tour runs the part over MCP.
func (d *door) tour(ctx context.Context, session *mcp.ClientSession) error {
	note := map[string]any{"title": "Webhook retries", "type": "decision", "tags": []string{"payments"},
		"body": "We retry a failed webhook five times with exponential backoff, then park it.\n\nThe provider drops duplicates by `Idempotency-Key`."}
	if _, err := d.step(ctx, session, "3. The agent writes a note", "blue_write", note); err != nil {
		return err
	}
	const question = "how often do we retry a webhook?"
	found, err := d.step(ctx, session, "4. Another day it asks: "+question, "blue_search", map[string]any{"query": question})
	if err != nil {
		return err
	}
	id := any("nothing-found")
	if hits, _ := found["hits"].([]any); len(hits) > 0 {
		id = hits[0].(map[string]any)["id"]
	}
	_, err = d.step(ctx, session, "5. It reads the note", "blue_read", map[string]any{"id": id})
	return err
}

// step calls a tool, prints its text and returns its structured content.
func (d *door) step(ctx context.Context, session *mcp.ClientSession, say, tool string, arguments map[string]any) (map[string]any, error) {
	d.say("\n%s: %s\n", say, tool)
	reply, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	text := ""
	for _, content := range reply.Content {
		if part, ok := content.(*mcp.TextContent); ok {
			text += part.Text
		}
	}
	if reply.IsError {
		return nil, fmt.Errorf("%s answered: %s", tool, text)
	}
	for line := range strings.Lines(text) {
		d.say("   | %s\n", strings.TrimRight(line, "\n"))
	}
	structured, _ := reply.StructuredContent.(map[string]any)
	return structured, nil
}

func (d *door) say(format string, args ...any) {
	_, _ = io.WriteString(d.out, errors.Printable(fmt.Sprintf(format, args...)))
}

// command runs this binary with its own directories, isolated from the person's.
func (d *door) command(ctx context.Context, base, dir string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, d.std.Self, args...)
	home := filepath.Join(base, "home")
	c.Dir, c.Stderr = dir, nil
	c.Env = []string{"HOME=" + home, "USERPROFILE=" + home, "LOCALAPPDATA=" + home, "APPDATA=" + home,
		"SystemRoot=" + d.b.Env("SystemRoot"), "PATH=" + d.b.Env("PATH"), "XDG_CACHE_HOME=" + filepath.Join(base, "cache"),
		"XDG_STATE_HOME=" + filepath.Join(base, "state"), "XDG_CONFIG_HOME=" + filepath.Join(base, "config")}
	return c
}
