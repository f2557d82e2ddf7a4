package errors

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The failures of a server on HTTP: of its start, and of calls that are too many.

// BadAddress says that --http was given something to which no server can be
// bound.
func BadAddress(value, reason string) *Error {
	return E(Invalid, "--http cannot be %s: %s", quote(value), reason).
		Hint("mcp", "--http 127.0.0.1:7865", "give HOST:PORT, HOST or PORT")
}

// BadPort says that the variable name holds no port.
func BadPort(name, value string) *Error {
	return E(Invalid, "%s cannot be %s", quote(name), quote(value)).
		Hint("", "", "set it to a number from 0 to 65535, or name the port: --http HOST:PORT")
}

// BadHostName says that --host-name was given no name.
func BadHostName(value string) *Error {
	return E(Invalid, "--host-name cannot be %s", quote(value)).
		Hint("mcp", "--http 0.0.0.0:7865 --host-name notes.example --allow-root DIR", "give NAME or NAME:PORT, as clients spell it")
}

// BadRoot says why a server at address cannot serve the directory that
// --allow-root names.
func BadRoot(address, dir, reason string) *Error {
	return E(Invalid, "--allow-root cannot be %s: it %s", quote(dir), reason).
		Hint("mcp", "--http "+argument(address)+" --allow-root DIR", "name a directory that exists")
}

// NothingToServe says that the home directory, which a server at address serves
// when nothing else is named, is not known.
func NothingToServe(address string) *Error {
	return E(Invalid, "the home directory is unknown, so there is nothing to serve").
		Hint("", "", "set HOME to your home directory and run the same command again").
		Hint("mcp", "--http "+argument(address)+" --allow-root DIR", "or name the directory to serve")
}

// BadTimeout says that --session-timeout is not a positive time.
func BadTimeout(d time.Duration) *Error {
	return E(Invalid, "--session-timeout cannot be %s", quote(d.String())).
		Hint("", "", "give a time such as 30m or 24h")
}

// OpenToOthers says what a server that others can reach lacks, or must not have.
func OpenToOthers(host string, faults ...string) *Error {
	return E(Invalid, "a server on %s %s", quote(host), strings.Join(faults, " and ")).
		Hint("mcp", "--http "+argument(host)+":7865 --host-name NAME --allow-root DIR", "name what it serves, and keep the token").
		Hint("mcp", "--http 127.0.0.1:7865", "or serve this machine alone")
}

// PortInUse says that another process listens where this one should.
func PortInUse(port int) *Error {
	return E(Busy, "port %d is already in use", port).
		Hint("", "", fmt.Sprintf("take another one: blue mcp --http 127.0.0.1:%d", port%65535+1)).
		Hint("", "", "or let the system choose: blue mcp --http 127.0.0.1:0")
}

// NoListener says that the system refused the address.
func NoListener(address string, err error) *Error {
	return E(Invalid, "listening on %s: %w", quote(address), err).
		Hint("mcp", "--http 127.0.0.1:7865", "take an address of this machine")
}

// TokenExposed says that others can read or write the token file.
func TokenExposed(path string) *Error {
	return E(Invalid, "the token file %s is open to other users", quote(path)).
		Hint("", "", "run: chmod 600 "+argument(path))
}

// TokenUnusable says why a token file cannot be used.
func TokenUnusable(path, reason string) *Error {
	return E(Invalid, "the token file %s cannot be used: %s", quote(path), reason).
		Hint("", "", "make it a file that you alone can read, or remove it: the next start makes a new one")
}

// Repeated returns an error if the query of a URL has a parameter more than once. Programs differ
// in which of the values they use, and in whether a semicolon ends a parameter.
func Repeated(query string) error {
	seen := map[string]bool{}
	for pair := range strings.FieldsFuncSeq(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		if seen[name] {
			return E(Invalid, "the parameter %s comes more than once in the URL", quote(name)).Hint("", "", "give it once")
		}
		seen[name] = true
	}
	return nil
}

// TooOften says that one client calls faster than a server lets it.
func TooOften(seconds int) *Error {
	return E(Busy, "too many calls a second").Hint("", "", fmt.Sprintf("try again in %d s", seconds))
}
