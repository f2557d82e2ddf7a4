// Package lsp serves notes to editors by the Language Server Protocol: links between notes, what is
// wrong with a note, and the notes that cite a source file. The project of a document is that of
// its directory.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

// checkDelay is the time without changes of a document after which it is checked.
const checkDelay = 300 * time.Millisecond

// server is one session with a client.
type server struct {
	blue    *blue.Blue
	version string
	ctx     context.Context
	wire    *framing

	initialized, shutdown bool // has been asked for

	mu   sync.Mutex // held while a message is handled; guards what follows
	docs map[string]*document
	columns
}

// document is a file that the client has open, with its text there.
type document struct {
	uri, file string // file is the absolute path
	version   int
	text      string
	reported  bool        // the client shows diagnostics
	due       *time.Timer // checks the latest change
}

// handler answers one message.
type handler = func(ctx context.Context, m message) (any, error)

// Serve serves one client until it sends exit or its input ends. It reports whether the client has
// asked to shut down before, as the protocol demands.
func Serve(ctx context.Context, b *blue.Blue, version string, in io.Reader, out io.Writer) (orderly bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wire := &framing{in: bufio.NewReaderSize(in, headerLimit), out: out}
	s := &server{blue: b, version: version, ctx: ctx, wire: wire, docs: map[string]*document{}}
	ended := make(chan error, 1)
	go func() { ended <- s.serve() }()
	select {
	case err = <-ended:
		return s.shutdown, err
	case <-ctx.Done():
		return true, nil
	}
}

// serve answers messages in the order in which they come. What the client answers is ignored.
func (s *server) serve() error {
	for {
		data, err := s.wire.receive()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		message, err := jsonrpc.DecodeMessage(data)
		request, ok := message.(*jsonrpc.Request)
		switch {
		case !json.Valid(data):
			s.reply(nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the message is no JSON"})
		case err != nil:
			s.reply(nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the message is no request"})
		case ok && request.Method == "exit":
			return nil
		case ok:
			result, err := s.handle(request)
			if request.IsCall() {
				s.reply(request.ID.Raw(), result, err)
			}
		}
	}
}

func (s *server) reply(id, result any, err error) {
	answer := map[string]any{"jsonrpc": "2.0", "id": id, "result": result}
	if err != nil {
		delete(answer, "result")
		fault, ok := errors.AsType[*jsonrpc.Error](err)
		if !ok {
			fault = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: errors.Of(err).Message}
		}
		answer["error"] = fault
	}
	s.wire.send(answer)
}

func (s *server) notify(method string, params any) {
	s.wire.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// handle handles a request or a notification.
func (s *server) handle(r *jsonrpc.Request) (any, error) {
	do, ok := map[string]handler{
		"initialize":              s.initialize,
		"shutdown":                func(context.Context, message) (any, error) { return nil, nil },
		"textDocument/didOpen":    s.didOpen,
		"textDocument/didChange":  s.didChange,
		"textDocument/didSave":    s.didSave,
		"textDocument/didClose":   s.didClose,
		"textDocument/completion": s.inProject(s.completion),
		"textDocument/hover":      s.inProject(s.hover),
		"textDocument/definition": s.inProject(s.definition),
		"textDocument/references": s.inProject(s.references),
	}[r.Method]
	s.initialized = s.initialized || r.Method == "initialize"
	var m message
	switch {
	case s.shutdown:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the server is shutting down"}
	case !s.initialized:
		return nil, &jsonrpc.Error{Code: -32002, Message: "the server is not initialized"} // as the protocol says
	case !ok:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "the method is not known"}
	case len(r.Params) > 0 && json.Unmarshal(r.Params, &m) != nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the parameters do not fit the method"}
	}
	s.shutdown = r.Method == "shutdown"
	return s.alone(s.ctx, do, m)
}

// alone handles a message while nothing else is done for the client. It makes an error of a panic.
func (s *server) alone(ctx context.Context, do handler, m message) (answer any, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if fault := recover(); fault != nil {
			s.blue.Forget()
			err = errors.E(errors.Internal, "internal error: %v", fault).Hint("", "", "restart the language server in the editor")
		}
	}()
	return do(ctx, m)
}

func (s *server) initialize(_ context.Context, m message) (any, error) {
	encoding := "utf-16"
	if s.utf8 = slices.Contains(m.Capabilities.General.PositionEncodings, "utf-8"); s.utf8 {
		encoding = "utf-8"
	}
	return map[string]any{
		"serverInfo": map[string]any{"name": "blue", "version": s.version},
		"capabilities": map[string]any{
			"positionEncoding":   encoding,
			"textDocumentSync":   map[string]any{"openClose": true, "change": 1, "save": true},
			"completionProvider": map[string]any{"triggerCharacters": []string{"["}},
			"hoverProvider":      true, "definitionProvider": true, "referencesProvider": true,
		},
	}, nil
}

func (s *server) didOpen(ctx context.Context, m message) (any, error) {
	file, err := marker.Parse(m.TextDocument.URI)
	if err != nil {
		return nil, nil // no file of this machine
	}
	doc := &document{uri: m.TextDocument.URI, file: file, version: m.TextDocument.Version, text: m.TextDocument.Text}
	s.docs[doc.uri] = doc
	s.check(ctx, doc)
	return nil, nil
}

func (s *server) didChange(_ context.Context, m message) (any, error) {
	doc := s.docs[m.TextDocument.URI]
	if doc == nil || len(m.ContentChanges) == 0 {
		return nil, nil
	}
	doc.version, doc.text = m.TextDocument.Version, m.ContentChanges[len(m.ContentChanges)-1].Text
	if doc.due != nil {
		doc.due.Stop()
	}
	doc.due = time.AfterFunc(checkDelay, func() { _, _ = s.alone(s.ctx, s.checkChanged, m) })
	return nil, nil
}

// checkChanged checks a document unless it has been closed or changed again since a change.
func (s *server) checkChanged(ctx context.Context, m message) (any, error) {
	if doc := s.docs[m.TextDocument.URI]; doc != nil && doc.version == m.TextDocument.Version {
		s.check(ctx, doc)
	}
	return nil, nil
}

// didSave checks all documents, because a saved note may be what the others link to.
func (s *server) didSave(ctx context.Context, _ message) (any, error) {
	for _, doc := range s.docs {
		s.check(ctx, doc)
	}
	return nil, nil
}

func (s *server) didClose(_ context.Context, m message) (any, error) {
	if doc := s.docs[m.TextDocument.URI]; doc != nil {
		delete(s.docs, doc.uri)
		s.report(doc, nil)
	}
	return nil, nil
}

// open opens the project of a document.
func (s *server) open(ctx context.Context, doc *document) (*blue.Project, error) {
	from := marker.Candidate{Source: marker.Argument, Value: filepath.Dir(doc.file)}
	return s.blue.Open(ctx, blue.Call{
		Door: marker.Door{Terminal: true}, Serving: true, From: slices.Values([]marker.Candidate{from}),
	})
}
