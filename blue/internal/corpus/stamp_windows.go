package corpus

import (
	"os"

	"blue/blue/internal/index"
)

// stampFile returns the stamp of a file or directory without opening it.
func stampFile(name string) (stamp index.Stamp, isRegular bool, err error) {
	info, err := os.Lstat(name)
	if err != nil {
		return stamp, false, err
	}
	return index.Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano()}, info.Mode().IsRegular(), nil
}
