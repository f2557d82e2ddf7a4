// Package lsp serves notes to editors by the Language Server Protocol: links between notes, what is
// wrong with a note, and the notes that cite a source file. The project of a document is that of
// its directory.
package lsp

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

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
	rpc     *jrpc2.Server
	exit    chan bool // gets from the notification exit whether shutdown came before

	asked struct{ initialized, shutdown bool } // used while messages are assigned, and after the last

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
	s := &server{blue: b, version: version, ctx: ctx, exit: make(chan bool, 1), docs: map[string]*document{}}
	s.rpc = jrpc2.NewServer(s, &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, NewContext: func() context.Context { return ctx },
	})
	s.rpc.Start(&framing{bufio.NewReaderSize(in, headerLimit), out})
	ended := make(chan error, 1)
	go func() { ended <- s.rpc.Wait() }()
	select {
	case err = <-ended:
		return s.asked.shutdown, err
	case orderly = <-s.exit:
		return orderly, nil
	case <-ctx.Done():
		return true, nil
	}
}

// Assign implements jrpc2.Assigner. It is called in the order in which messages are received.
func (s *server) Assign(_ context.Context, method string) jrpc2.Handler {
	switch {
	case method == "exit":
		select {
		case s.exit <- s.asked.shutdown:
		default: // it came twice
		}
		return nil
	case s.asked.shutdown:
		return refuse(jrpc2.InvalidRequest, "the server is shutting down")
	case method == "initialize":
		s.asked.initialized = true
	case !s.asked.initialized:
		return refuse(-32002, "the server is not initialized") // the code is that of the protocol
	case method == "shutdown":
		s.asked.shutdown = true
	}
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
	}[method]
	if !ok {
		return nil
	}
	return func(ctx context.Context, r *jrpc2.Request) (any, error) {
		var m message
		if err := r.UnmarshalParams(&m); err != nil && r.HasParams() {
			return nil, &jrpc2.Error{Code: jrpc2.InvalidParams, Message: "the parameters do not fit the method"}
		}
		answer, err := s.alone(ctx, do, m)
		if err != nil {
			return nil, &jrpc2.Error{Code: jrpc2.InternalError, Message: errors.Of(err).Message}
		}
		return answer, nil
	}
}

func refuse(code jrpc2.Code, why string) jrpc2.Handler {
	return func(context.Context, *jrpc2.Request) (any, error) {
		return nil, &jrpc2.Error{Code: code, Message: why}
	}
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

func (s *server) didClose(ctx context.Context, m message) (any, error) {
	if doc := s.docs[m.TextDocument.URI]; doc != nil {
		delete(s.docs, doc.uri)
		s.report(ctx, doc, nil)
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
