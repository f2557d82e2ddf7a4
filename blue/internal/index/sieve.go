package index

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
		word, bit := place(all, w.key)
		all[word] |= bit
	}
	s.sieve = all
	return s, nil
}

// place is where the bit of a term is, by its hash (FNV-1a, which needs no memory).
func place[T string | []byte](s sieve, key T) (word int, bit uint64) {
	hash := uint32(2166136261)
	for i := range len(key) {
		hash = (hash ^ uint32(key[i])) * 16777619
	}
	hash ^= hash >> 15
	return int(hash>>6) & (len(s) - 1), 1 << (hash & 63)
}

// may reports whether the term may be there.
func (s sieve) may(key string) bool {
	word, bit := place(s, key)
	return s[word]&bit != 0
}
