// Command blue keeps a project's notes for coding agents and the people who work with them.
package main

import (
	"os"
	"time"

	"blue/blue/program"
)

func main() { os.Exit(program.Run(time.Now)) }
