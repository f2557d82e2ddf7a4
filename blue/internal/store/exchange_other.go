//go:build !linux && !darwin

package store

import (
	"os"

	"blue/errors"
)

var errNoExchange = errors.New("this system cannot exchange two files")

func exchange(*os.Root, string, string) error { return errNoExchange }

// unexchangeable reports that two files cannot be exchanged here.
func unexchangeable(err error) bool { return errors.Is(err, errNoExchange) }

// beingWritten says no: the system does not tell.
func beingWritten(*os.File) bool { return false }
