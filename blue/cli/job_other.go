//go:build !unix

package cli

// readInBackground does nothing here: there are no background jobs.
func readInBackground() {}
