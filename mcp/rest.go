package mcp

import (
	"context"
	"net"
	"net/http"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// When a server gives memory back.
const (
	restTime  = 20 * time.Second // how often it looks
	restLimit = 16 << 20         // bytes above what it had at its start
)

// rest gives memory back to the system while the connections come and go. The runtime
// keeps what many sessions have needed for minutes after they are gone, and for longer
// when nothing happens.
func (f *front) rest(ctx context.Context) {
	first, rounds := resident(), 0
	turn := time.NewTicker(restTime)
	defer turn.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
		if f.stirred.Swap(false) {
			rounds = 2 // what pools and finalizers hold outlives the first
		}
		if rounds == 0 {
			continue
		}
		rounds--
		if resident() > first+restLimit {
			debug.FreeOSMemory()
		}
	}
}

// connection is the server's hook for one that comes, goes or is used.
func (f *front) connection(c net.Conn, state http.ConnState) {
	f.stirred.Store(true)
	f.crowd.count(c, state)
}

// resident is how much memory of the system the runtime has.
func resident() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}
