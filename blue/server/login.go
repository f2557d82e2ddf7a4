package server

import "blue/blue/internal/oidc"

// Login is the way of one person to the issuer and back.
type Login = oidc.Login

// Identity is who a person is, as the issuer says.
type Identity = oidc.Identity

// Issuer is where people log in, nil for none.
func (s *Server) Issuer() *oidc.Issuer { return s.issuer }
