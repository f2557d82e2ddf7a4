package mcp

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// look reads an answer, but not one of 200, which may be a stream that does not end.
func (s *site) look(r *http.Request) heard {
	s.t.Helper()
	response, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return heard{status: http.StatusOK}
	}
	data, _ := io.ReadAll(response.Body)
	return heard{status: response.StatusCode, body: string(data)}
}

// Two headers of which one might be judged elsewhere and the other here.
func TestHeadersThatComeTwice(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	right := "Bearer " + s.tokens[0]
	for _, test := range []struct {
		name   string
		values []string
		want   int
	}{
		{"Authorization", []string{right, "Bearer wrong"}, 400},
		{"Authorization", []string{"Bearer wrong", right}, 400},
		{"Authorization", []string{right, right}, 400},
		{"Authorization", []string{right, ""}, 400},
		{"Authorization", []string{"Bearer wrong", "Basic x"}, 400},
		{"Authorization", []string{right + ", " + right}, 401},
		{"Mcp-Session-Id", []string{v.id, "other"}, 400},
		{"Mcp-Session-Id", []string{v.id, v.id}, 400},
		{"Mcp-Protocol-Version", []string{"2025-11-25", "2026-07-28"}, 400},
		{"Mcp-Protocol-Version", []string{"2025-11-25", "2025-11-25"}, 400},
		{"Mcp-Method", []string{"ping", "tools/call"}, 400},
		{"Mcp-Name", []string{"blue_read", "blue_write"}, 400},
		{"Content-Type", []string{"application/json", "text/plain"}, 400},
		{"Origin", []string{s.root, s.root}, 403},
		{"Accept", []string{"application/json", "text/event-stream"}, 200},
		{"Mcp-Session-Id", []string{v.id}, 200},
	} {
		for _, verb := range []string{"POST", "GET", "DELETE"} {
			if test.want == 200 && verb != "POST" {
				continue
			}
			r := v.request(verb, "/mcp", pingBody, v.pairs...)
			r.Header[test.name] = test.values
			h := v.look(r)
			if h.status != test.want || test.want == http.StatusBadRequest && !strings.Contains(h.body, test.name) {
				t.Errorf("%s: %s %q: %s", verb, test.name, test.values, h)
			}
		}
	}
	if h := v.post(pingBody); h.status != http.StatusOK {
		t.Errorf("afterwards: %s", h)
	}
}

// net/http itself refuses what would make the end of a request a matter of taste.
func TestLengthAndHostTwice(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{})
	for _, extra := range []string{"Host: evil.example", "Content-Length: 3", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"} {
		conn := s.raw(t)
		fmt.Fprint(conn, "POST /mcp HTTP/1.1\r\nHost: "+strings.TrimPrefix(s.root, "http://")+"\r\nContent-Length: 2\r\n"+extra+"\r\n\r\n{}")
		if answer, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || answer.StatusCode != 400 && answer.StatusCode != 501 {
			t.Errorf("%q: %v %v", extra, answer, err)
		}
	}
}

// A parameter that comes twice, on every route and before its token is looked at, and a
// header Blue-Project that does. Neither of the projects gets the note.
func TestRepeatedParameters(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	call := callBody(t, 1, "write", args("title", "a", "body", "b"), nil)
	before := append(notes(base+"/shop"), notes(base+"/other")...)
	one, other := url.QueryEscape(base+"/shop"), url.QueryEscape(base+"/other")
	refused := func(what string, h heard, name string) {
		t.Helper()
		if h.status != http.StatusBadRequest || !strings.Contains(h.body, name) {
			t.Errorf("%s: %s", what, h)
		}
	}
	for _, path := range []string{"/mcp", "/mcp/", "/health"} {
		for _, query := range []string{
			"project_path=" + one + "&project_path=" + other, "project_path=" + one + "&project_path=" + one, "project_path=" + one + "&%70roject_path=" + other,
			"project_path=" + one + ";project_path=" + other, "sessionid=a&project_path=" + one + "&sessionid=b", "x&x",
		} {
			name := `\"project_path\"`
			if strings.Contains(query, "sessionid") {
				name = `\"sessionid\"`
			} else if query == "x&x" {
				name = `\"x\"`
			}
			for _, method := range []string{"POST", "GET", "DELETE", "OPTIONS"} {
				refused(method+" "+path+"?"+query, s.look(s.request(method, path+"?"+query, call, v.pairs...)), name)
				refused(method+" "+path+"?"+query+" without a token", s.look(s.request(method, path+"?"+query, call, "Authorization", "")), name)
			}
		}
	}
	for _, values := range [][]string{{base + "/shop", base + "/other"}, {base + "/shop", base + "/shop"}, {"", base + "/shop"}} {
		r := s.request("POST", "/mcp", call, v.pairs...)
		r.Header["Blue-Project"] = values
		refused(fmt.Sprint(values), s.look(r), "Blue-Project")
	}
	if after := append(notes(base+"/shop"), notes(base+"/other")...); !slices.Equal(before, after) {
		t.Errorf("written: %v", after)
	}
	if h := v.send("POST", "/mcp?project_path="+one+"&other=1", call, v.pairs...); h.status != http.StatusOK || len(notes(base+"/shop"))+len(notes(base+"/other")) != len(before)+1 {
		t.Errorf("once: %s", h)
	}
}
