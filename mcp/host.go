package mcp

import (
	"net"
	"strconv"
	"strings"
)

// hosts are the names by which clients may reach a server. Others are a page of a
// foreign site at work (DNS rebinding), whatever address they lead to.
type hosts struct {
	port  string            // bound
	names map[string]string // of --host-name, in lower case, and their ports; empty: the bound one or none
}

func newHosts(port int, names []string) hosts {
	h := hosts{strconv.Itoa(port), map[string]string{}}
	for _, name := range names {
		host, own := splitHost(name)
		h.names[strings.ToLower(host)] = own
	}
	return h
}

// splitHost takes the port off a host; an IPv6 address keeps its brackets.
func splitHost(host string) (name, port string) {
	at := strings.LastIndexByte(host, ':')
	if at < 0 || strings.HasSuffix(host, "]") {
		return host, ""
	}
	return host[:at], host[at+1:]
}

// here reports whether a name without port is one of this machine's own.
func here(name string) bool {
	switch strings.ToLower(name) {
	case "localhost", "127.0.0.1", "[::1]":
		return true
	}
	return false
}

// serve reports whether a request may name the host.
func (h hosts) serve(host string) bool {
	name, port := splitHost(host)
	if strings.HasSuffix(host, ":") {
		return false
	}
	own, public := h.names[strings.ToLower(name)]
	switch {
	case public && own != "":
		return port == own
	case public, here(name):
		return port == "" || port == h.port
	}
	return false
}

// allow reports whether a page of these origins may call: none, or one that this
// server itself could have sent. A page without port is on port 80 of this
// machine, which is another server.
func (h hosts) allow(origins []string) bool {
	if len(origins) == 0 {
		return true
	}
	scheme, host, ok := strings.Cut(origins[0], "://")
	if len(origins) > 1 || !ok || !h.serve(host) {
		return false
	}
	name, port := splitHost(host)
	_, public := h.names[strings.ToLower(name)]
	switch scheme {
	case "https":
		return public
	case "http":
		return public || port == h.port || h.port == "80"
	}
	return false
}

// loopback reports whether only this machine reaches an address.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
