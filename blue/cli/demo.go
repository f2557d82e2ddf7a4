package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blue/blue"
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
	client, err := d.connect(ctx, base, deep)
	if err != nil {
		return err
	}
	if err := d.tour(client); err != nil {
		return errors.Join(err, client.close())
	}
	if err := client.close(); err != nil {
		return err
	}
	d.say("\nThe same in a project of your own:\n\n  blue init                   # in the project\n" +
		"  blue setup claude-code      # or another client: blue setup lists those it finds\n")
	return nil
}

// tour runs the part over MCP.
func (d *door) tour(client *demoClient) error {
	note := map[string]any{"title": "Webhook retries", "type": "decision", "tags": []string{"payments"},
		"body": "We retry a failed webhook five times with exponential backoff, then park it.\n\nThe provider drops duplicates by `Idempotency-Key`."}
	if _, err := d.step(client, "3. The agent writes a note", "blue_write", note); err != nil {
		return err
	}
	const question = "how often do we retry a webhook?"
	found, err := d.step(client, "4. Another day it asks: "+question, "blue_search", map[string]any{"query": question})
	if err != nil {
		return err
	}
	id := any("nothing-found")
	if hits, _ := found["hits"].([]any); len(hits) > 0 {
		id = hits[0].(map[string]any)["id"]
	}
	_, err = d.step(client, "5. It reads the note", "blue_read", map[string]any{"id": id})
	return err
}

// step calls a tool, prints its text and returns its structured content.
func (d *door) step(client *demoClient, say, tool string, arguments map[string]any) (map[string]any, error) {
	d.say("\n%s: %s\n", say, tool)
	text, structured, err := client.call(tool, arguments)
	for line := range strings.Lines(text) {
		d.say("   | %s\n", strings.TrimRight(line, "\n"))
	}
	return structured, err
}

func (d *door) say(format string, args ...any) {
	_, _ = io.WriteString(d.out, blue.Visible(fmt.Sprintf(format, args...)))
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

// demoClient is an MCP client of a server on pipes.
type demoClient struct {
	server *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	id     int
}

func (d *door) connect(ctx context.Context, base, dir string) (*demoClient, error) {
	server := d.command(ctx, base, dir, "mcp", "--structured")
	in, err := server.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, fmt.Errorf("starting blue mcp: %w", err)
	}
	client := &demoClient{server: server, in: in, out: bufio.NewReader(out)}
	_, err = client.ask("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "blue-demo", "version": setup.Version()}})
	if err == nil {
		err = client.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	return client, err
}

func (c *demoClient) send(message map[string]any) error {
	return json.NewEncoder(c.in).Encode(message)
}

// ask sends a request and reads its response, the next line.
func (c *demoClient) ask(method string, params any) (json.RawMessage, error) {
	c.id++
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("reading the answer to %s: %w", method, err)
	}
	var reply struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		return nil, fmt.Errorf("decoding the answer to %s: %w", method, err)
	}
	if reply.Error != nil {
		return nil, fmt.Errorf("%s answered: %s", method, reply.Error.Message)
	}
	return reply.Result, nil
}

// call calls a tool and returns its text and structured content.
func (c *demoClient) call(tool string, arguments map[string]any) (string, map[string]any, error) {
	raw, err := c.ask("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return "", nil, err
	}
	var reply struct {
		IsError bool
		Content []struct{ Text string }

		StructuredContent map[string]any
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return "", nil, fmt.Errorf("decoding the answer of %s: %w", tool, err)
	}
	if reply.IsError || len(reply.Content) == 0 {
		return "", nil, fmt.Errorf("%s answered: %s", tool, raw)
	}
	return reply.Content[0].Text, reply.StructuredContent, nil
}

func (c *demoClient) close() error {
	return errors.Join(c.in.Close(), c.server.Wait())
}
