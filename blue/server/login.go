package server

import "blue/blue/internal/issuer"

// Login is the way of one person to the issuer and back.
type Login = issuer.Login

// Identity is who a person is, as the issuer says.
type Identity = issuer.Identity

// Issuer is where people log in, nil for none.
func (s *Server) Issuer() *issuer.Issuer { return s.issuer }
