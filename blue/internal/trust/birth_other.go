//go:build unix && !linux

package trust

// birthTime returns "", because these systems rarely reuse the number of an inode.
func birthTime(string) string { return "" }
