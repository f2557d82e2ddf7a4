// Package lsp serves notes to editors by the Language Server Protocol: links between notes, what is
// wrong with a note, and the notes that cite a source file. The project of a document is that of
// its directory.
package lsp

import (
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

// Options are the settings of a server.
type Options struct {
	Blue    *blue.Blue
	Version string
	Dir     string // working directory of the process
}

// checkDelay is the time without changes of a document after which it is checked.
const checkDelay = 300 * time.Millisecond

// server is one session with a client.
type server struct {
	o    Options
	ctx  context.Context
	rpc  *jrpc2.Server
	exit chan bool // gets from the notification exit whether shutdown came before

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
func Serve(ctx context.Context, o Options, in io.Reader, out io.Writer) (orderly bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{o: o, ctx: ctx, exit: make(chan bool, 1), docs: map[string]*document{}}
	s.rpc = jrpc2.NewServer(s, &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, NewContext: func() context.Context { return ctx },
	})
	s.rpc.Start(newFraming(in, out))
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
		return refuse(invalidRequest, "the server is shutting down")
	case method == "initialize" && s.asked.initialized:
		return refuse(invalidRequest, "the server is initialized already")
	case method == "initialize":
		s.asked.initialized = true
	case !s.asked.initialized:
		return refuse(notInitialized, "the server is not initialized")
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
			return nil, &jrpc2.Error{Code: invalidParams, Message: "the parameters do not fit the method"}
		}
		answer, err := s.alone(ctx, do, m)
		if err != nil {
			return nil, &jrpc2.Error{Code: internalError, Message: errors.Of(err).Message}
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
			s.o.Blue.Forget()
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
		"serverInfo": map[string]any{"name": "blue", "version": s.o.Version},
		"capabilities": map[string]any{
			"positionEncoding":   encoding,
			"textDocumentSync":   map[string]any{"openClose": true, "change": 1, "save": true},
			"completionProvider": map[string]any{"triggerCharacters": []string{"["}},
			"hoverProvider":      true, "definitionProvider": true, "referencesProvider": true,
		},
	}, nil
}

func (s *server) didOpen(ctx context.Context, m message) (any, error) {
	of := m.TextDocument
	file, err := marker.Parse(of.URI)
	if err != nil {
		return nil, nil // no file of this machine
	}
	doc := &document{uri: of.URI, file: file, version: of.Version, text: of.Text}
	s.docs[of.URI] = doc
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
	return s.o.Blue.Open(ctx, blue.Call{
		Cwd: s.o.Dir, Door: marker.Door{Terminal: true}, Serving: true, From: slices.Values([]marker.Candidate{from}),
	})
}
