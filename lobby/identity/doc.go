// Package identity finds out who a person is at an identity provider: by an
// OpenID Connect log-in in the browser, by a signed token, or by asking a URL about a
// token.
//
//	browser ── GET login ──► lobby/api ── Begin ──► Providers ──► address of the provider's log-in page
//	provider ─ callback ───► lobby/api ── Finish ─► Providers ── code, PKCE ──► provider
//	client ── token ───────► lobby/api ── Verify ─► Providers ──► keys of the issuer, or a URL of the operator's
//	                                                    │
//	                                          lobby.Identity: issuer, subject, name
//	                                                    │
//	                                  lobby.Service.LogInExternal, LinkExternal
//
// The operator names the providers in a file ([ReadFile]); a program that embeds
// the server may add a [Verifier] of its own. Their secrets come from files or the
// environment. The methods of [Providers] may be called from any goroutine.
//
// What a client sends is bounded before it is read. Signatures have asymmetric
// algorithms only, and keys come from the issuer's key set alone, never from a
// token. The key set is fetched at most once in [fetchWait], whatever tokens
// say. Answers of providers are bounded in time and size, redirects are not followed,
// and a host that only a provider has named must have a public address.
//
// A log-in that was begun is kept in memory for ten minutes, bound to the
// browser that began it, and ends with its first answer. A server that restarts
// forgets it, and the player begins again.
//
// The package decides nothing about accounts and keeps nothing of tokens: that a
// token is shown once only is for package lobby to see to.
package identity
