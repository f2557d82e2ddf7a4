package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var frameMB = flag.Int("frame-mb", 24, "how many MB of frames are written to stdio as fast as they are taken")

// peakMemory is the most that a process has had in memory, in kB; 0 where there is
// no /proc.
func peakMemory(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	kB, _ := strconv.Atoi(string(m[1]))
	return kB
}

// Promise 24: frames come as fast as the server takes them, large ones and bad ones
// among them. Each is answered, in bounded memory.
func TestPromise24FloodOfFrames(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "write", "--title", "Deploys", "On Fridays.")
	s := p.serve(t)
	call := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"blue_%s","arguments":{"%s":"%s"}}}` + "\n"
	kinds := []func(id int) string{
		func(id int) string { return fmt.Sprintf(call, id, "search", "query", "deploys") },
		func(id int) string {
			return fmt.Sprintf(call, id, "search", "query", strings.Repeat("deploys ", 1<<17))
		},
		func(id int) string { return fmt.Sprintf(call, id, "write", "body", strings.Repeat("x\\n", 1<<17)) },
		func(id int) string { return fmt.Sprintf(call, id, "write", "body", strings.Repeat("y", 4<<20-200)) }, // a frame below the limit
		func(id int) string { return strings.Repeat("no JSON ", 1<<17) + "\n" },
		func(id int) string { return fmt.Sprintf(call, id, "list", "x", strings.Repeat("z", 5<<20)) }, // one above it
		func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) + "\n" },
	}
	var mu sync.Mutex
	asked := map[string]time.Time{}
	wrote, frames := 0, 0
	began := time.Now()
	go func() {
		defer s.in.Close()
		for id := 1; wrote < *frameMB<<20; id++ {
			frame := kinds[id%len(kinds)](id)
			mu.Lock()
			asked[strconv.Itoa(id)] = time.Now()
			frames++
			mu.Unlock()
			n, err := io.WriteString(s.in, frame)
			if wrote += n; err != nil {
				t.Errorf("writing: %v", err)
				return
			}
		}
	}()
	answers := map[string]int{}
	var took []time.Duration
	peak := 0
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			break
		}
		protocolOnly(t, "flood", line)
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		id := string(m.ID)
		mu.Lock()
		sent := asked[id]
		mu.Unlock()
		switch {
		case id == "null":
			answers["refused frames"]++
		case bytes.Contains(line, []byte(`"error":"busy"`)):
			answers["busy"]++
		default:
			answers["answered"]++
			took = append(took, time.Since(sent))
		}
		peak = max(peak, peakMemory(s.cmd.Process.Pid))
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("blue mcp: %v", err)
	}
	if all := answers["refused frames"] + answers["busy"] + answers["answered"]; all != frames {
		t.Errorf("%d answers to %d frames: %v", all, frames, answers)
	}
	if peak > 150<<10 {
		t.Errorf("peak memory %d kB, more than 150 MB", peak)
	}
	slices.Sort(took)
	t.Logf("%d frames, %d MB at %.0f MB/s: %v; p99 of the answered %v; peak memory %d kB",
		frames, wrote>>20, float64(wrote)/1e6/time.Since(began).Seconds(), answers, took[len(took)*99/100].Round(time.Millisecond), peak)
}
