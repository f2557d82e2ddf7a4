package setup

import (
	"context"
	"net"
	neturl "net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/clients"
)

// Running stands for the URL of the server that runs on this machine.
const Running = "running"

// answerLimit is how long a server may take to accept a connection.
const answerLimit = time.Second

// findServers returns the URLs of this user's servers that accept connections, and
// the runtime files of those that do not.
func (m Machine) findServers(ctx context.Context) (urls, dead []string) {
	dir := filepath.Join(m.Blue.Directory("state"), "http")
	entries, _ := os.ReadDir(dir) // when it is not there or cannot be read, no server is known
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		data, err := clients.Load(path)
		url := strings.TrimSpace(string(data))
		switch {
		case err != nil || !acceptsConnections(ctx, url):
			dead = append(dead, path)
		case !slices.Contains(urls, url):
			urls = append(urls, url)
		}
	}
	return urls, dead
}

// acceptsConnections reports whether something listens where the URL points.
func acceptsConnections(ctx context.Context, url string) bool {
	host, port := splitAddress(url)
	if host == "" {
		return false
	}
	dialer := net.Dialer{Timeout: answerLimit}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}

// splitAddress returns the host and the port of a URL, empty for what is no URL of a server.
func splitAddress(url string) (host, port string) {
	u, err := neturl.Parse(url)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", ""
	}
	if port = u.Port(); port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Hostname(), port
}

// isLocal reports whether a URL points to this machine.
func isLocal(url string) bool {
	host, _ := splitAddress(url)
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// samePort reports whether two URLs point to one port of one machine.
func samePort(a, b string) bool {
	hostA, portA := splitAddress(a)
	hostB, portB := splitAddress(b)
	return portA == portB && (strings.EqualFold(hostA, hostB) || isLocal(a) && isLocal(b))
}

// withoutSecrets is where a URL points, without what may be secret in it: user, password
// and query.
func withoutSecrets(url string) string {
	u, err := neturl.Parse(url)
	if err != nil {
		return "a URL that does not parse"
	}
	return u.Scheme + "://" + u.Host + u.Path
}
