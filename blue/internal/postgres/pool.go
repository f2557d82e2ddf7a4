package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"blue/errors"
)

// pool keeps connections for those who come. It connects when one is asked for and none is
// free.
type pool struct {
	config *pgconn.Config
	open   func(ctx context.Context, c *conn) error // makes a new connection ready
	places chan struct{}                            // one for each connection that may work

	mu     sync.Mutex
	free   []idle
	opened int
	closed bool
}

type idle struct {
	c     *conn
	since time.Time
}

const (
	idleTime    = 5 * time.Minute        // after which a connection that nobody needs ends
	partingTime = 100 * time.Millisecond // for the engine to take leave of a connection
	placeTime   = time.Second            // for one of the connections to be given back
	testTime    = time.Second            // after which a free connection is tried before it is used
)

func newPool(config *pgconn.Config, most int, open func(context.Context, *conn) error) *pool {
	return &pool{config: config, open: open, places: make(chan struct{}, most)}
}

// take takes a connection, a free one or a new one.
func (p *pool) take(ctx context.Context) (*conn, error) {
	select {
	case p.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(placeTime):
		return nil, errors.New("every connection is busy")
	}
	for {
		free, ok := p.takeFree()
		if !ok {
			break
		}
		// A connection that has rested may have died with its engine, and nobody has told us.
		if time.Since(free.since) < testTime || free.c.Ping(ctx) == nil {
			return free.c, nil
		}
		p.drop(free.c)
		if err := ctx.Err(); err != nil {
			<-p.places
			return nil, err
		}
	}
	c, err := p.connect(ctx)
	if err != nil {
		<-p.places
	}
	return c, err
}

func (p *pool) takeFree() (free idle, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		return free, false
	}
	free = p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return free, true
}

func (p *pool) connect(ctx context.Context) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	c, err := connectTo(ctx, p.config)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.opened++
	closed := p.closed
	p.mu.Unlock()
	if err = p.open(ctx, c); err == nil && closed {
		err = errors.New("the pool is closed")
	}
	if err != nil {
		p.drop(c)
		return nil, err
	}
	return c, nil
}

// put gives a connection back. One that is not at rest ends.
func (p *pool) put(c *conn) {
	defer func() { <-p.places }()
	if c.IsClosed() || c.TxStatus() != 'I' {
		p.drop(c)
		return
	}
	var old []idle
	p.mu.Lock()
	if p.closed {
		old = []idle{{c: c}}
	} else {
		p.free = append(p.free, idle{c, time.Now()})
		if time.Since(p.free[0].since) > idleTime {
			old, p.free = p.free[:1:1], p.free[1:]
		}
	}
	p.mu.Unlock()
	for _, o := range old {
		p.drop(o.c)
	}
}

// drop ends a connection.
func (p *pool) drop(c *conn) {
	p.mu.Lock()
	p.opened--
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), partingTime)
	defer cancel()
	_ = c.Close(ctx) // it may be gone already, or its engine silent
}

// close ends the connections that are free now, and the others when they are given back.
func (p *pool) close() {
	p.mu.Lock()
	free := p.free
	p.free, p.closed = nil, true
	p.mu.Unlock()
	for _, o := range free {
		p.drop(o.c)
	}
}
