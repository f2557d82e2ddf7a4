package setup

import "os/exec"

// writable is true: whether a directory can be written shows only in writing.
func writable(string) bool { return true }

// endWithChildren changes nothing: the system has no groups that end as one.
func endWithChildren(*exec.Cmd) {}
