//go:build unix

package mcp

import "syscall"

const noFollow = syscall.O_NOFOLLOW
