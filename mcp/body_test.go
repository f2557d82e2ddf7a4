package mcp

import (
	"net/http"
	"testing"
)

// A body without a length is read like any other.
func TestBodyWithoutLength(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	r := v.request(http.MethodPost, "/mcp", pingBody, v.pairs...)
	r.ContentLength = -1
	if h := v.do(r, nil); h.status != http.StatusOK {
		t.Errorf("%s", h)
	}
}
