// Package identitytest is a small OpenID provider, for tests.
//
//	test ── New ──► Provider: discovery, a page to log in on, codes, keys
//	test ── Token ─► a token that the provider signed, as the test wants it
//
// It keeps to the rules that a client must be held to: a code works once, for the
// redirect address, the client and the PKCE verifier that it was made with. Only tests
// import it. It never asks for a password.
package identitytest
