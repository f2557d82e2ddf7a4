package blue

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"sync"
)

// stamp is the last one that was made, and the version of the index that it is of.
type stamp struct {
	mu      sync.Mutex
	version uint64
	text    string
}

// Stamp stands for the state of the notes: another one means that a note has come,
// changed or gone, or that the project is another.
func (p *Project) Stamp(ctx context.Context) (text string, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return "", err
	}
	s := &p.stamp
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := p.index.Version(); s.text == "" || s.version != now {
		s.version, s.text = now, p.digestStamps()
	}
	return s.text, nil
}

// digestStamps is of the stamps of all files, in whatever order they come.
func (p *Project) digestStamps() string {
	digest := fnv.New64a()
	_, _ = digest.Write([]byte(p.found.Root)) // never fails
	sum := digest.Sum64()
	line := make([]byte, 0, 256)
	for name, s := range p.index.Stamps() {
		line = append(line[:0], name...)
		for _, n := range []uint64{uint64(s.Size), uint64(s.ModTime), uint64(s.ChangeTime), s.Inode} {
			line = binary.NativeEndian.AppendUint64(line, n)
		}
		digest.Reset()
		_, _ = digest.Write(line)
		sum += digest.Sum64()
	}
	return fmt.Sprintf("%016x", sum)
}
