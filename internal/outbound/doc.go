// Package outbound decides whether the server may connect to an address that others chose: a studio's webhook endpoint,
// or a host named by an identity provider. It keeps such requests out of the server's own network (server-side request
// forgery).
//
//	URL ──CheckURL──► stored ──► Client.Do ──► names resolved ──► Policy.Permits(address) ──► connection
//
// The client checks the address just before it connects, after the name was resolved. So a name that resolves to a
// public address at the first check and to a private address later (DNS rebinding) does not help an attacker. The
// client does not follow redirects and does not use proxies from the environment: both would bypass the check. Each
// request has a separate connection.
//
// Any goroutine may use a Policy and its clients. A Policy does not change.
package outbound
