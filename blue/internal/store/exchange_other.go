//go:build !linux && !darwin

package store

import (
	"os"

	"blue/errors"
)

var errNoExchange = errors.New("this system cannot exchange two files")

func exchangeFiles(*os.Root, string, string) error { return errNoExchange }

// cannotExchange reports whether two files cannot be exchanged here.
func cannotExchange(err error) bool { return errors.Is(err, errNoExchange) }
