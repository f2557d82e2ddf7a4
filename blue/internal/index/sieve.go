package index

import "hash/crc32"

// sieve is the terms of a segment in memory: most that the segment does not hold are
// not looked for in it. So what has been written lately can be many small segments,
// which are seldom merged. (A Bloom filter of one hash and 8 to 16 bits a term.)
type sieve []uint64

// inMemory is segmentOf for the bytes of a segment that has just been made.
func inMemory(b []byte) (*segment, error) {
	s, err := segmentOf(b)
	if err != nil {
		return nil, err
	}
	words := 1
	for terms := len(s.entries) / entrySize * blockTerms; words*64 < 8*terms; words *= 2 {
	}
	all := make(sieve, words)
	for w := s.search(""); len(w.key) > 0; w.next() {
		word, bit := all.place(w.key)
		all[word] |= bit
	}
	s.sieve = all
	return s, nil
}

func (s sieve) place(key []byte) (word int, bit uint64) {
	hash := crc32.ChecksumIEEE(key)
	return int(hash>>6) & (len(s) - 1), 1 << (hash & 63)
}

// may reports whether the term may be there.
func (s sieve) may(key string) bool {
	word, bit := s.place([]byte(key))
	return s[word]&bit != 0
}
