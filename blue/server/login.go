package server

import "blue/blue/internal/oidc"

// Login is one person's login at the issuer.
type Login = oidc.Login

// Identity is a person as identified by the issuer.
type Identity = oidc.Identity

// Issuer returns the issuer at which people log in, or nil.
func (s *Server) Issuer() *oidc.Issuer { return s.issuer }
