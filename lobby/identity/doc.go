// Package identity finds out a person's identity at an identity provider: by an OpenID
// Connect log-in in the browser, by a signed token, or by asking a URL about a token.
// lobby/api calls it, and hands the identity to package account.
//
//	browser ── GET login ──► lobby/api ── Begin ──► Providers ──► address of the provider's log-in page
//	provider ─ callback ───► lobby/api ── Finish ─► Providers ── code, PKCE ──► provider
//	client ── token ───────► lobby/api ── Verify ─► Providers ──► keys of the issuer, or a URL of the operator's
//	                                                    │
//	                                          account.Identity: issuer, subject, name
//	                                                    │
//	                                  account.Service.LogInExternal, LinkExternal
//
// The operator names the providers in a file ([ReadFile]); a program that embeds
// the server may add a [Verifier] of its own. Their secrets come from files or the
// environment. The methods of [Providers] may be called from any goroutine.
//
// The package bounds clients' input before it reads it. Signatures have asymmetric
// algorithms only, and keys come from the issuer's key set alone, never from a token.
// The package fetches the key set at most once in [fetchWait], for any tokens. Answers
// of providers are bounded in time and size, redirects are not followed, and a host
// that only a provider has named must have a public address.
//
// A log-in that was begun is kept in memory for ten minutes, bound to the
// browser that began it, and ends with its first answer. A server that restarts
// forgets it, and the player begins again.
//
// The package never decides about accounts and never keeps a token: package account
// refuses a token that was shown before.
package identity
