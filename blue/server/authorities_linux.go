package server

import (
	"crypto/x509"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// TrustAuthorities makes the process accept the TLS authorities that browsers accept where the
// system has none, as in the image. Parsing them takes milliseconds, so only commands that may need
// them call it. Other systems than Linux always have authorities.
func TrustAuthorities() {
	pool := x509.NewCertPool()
	for root := range bundle.Roots() {
		authority, err := x509.ParseCertificate(root.Certificate)
		switch {
		case err != nil: // a form that this version of Go does not read
		case root.Constraint != nil:
			pool.AddCertWithConstraint(authority, root.Constraint)
		default:
			pool.AddCert(authority)
		}
	}
	x509.SetFallbackRoots(pool)
}
