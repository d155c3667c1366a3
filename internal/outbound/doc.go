// Package outbound says which addresses chosen by others the server may connect to: the webhook endpoints of a studio,
// the hosts that an identity provider names. It keeps such requests out of the server's own network (server-side
// request forgery).
//
//	URL ──CheckURL──► stored ──► Client.Do ──► names resolved ──► Policy.Permits(address) ──► connection
//
// The rule is applied to the address that is about to be dialled, after the name
// was resolved. So a name that resolves to a public address when it is checked and
// to a private one when it is used (DNS rebinding) leads nowhere. Redirects are
// not followed, and proxies of the environment are not used: both would lead past
// the rule. Each request has a connection of its own.
//
// Any goroutine may use a Policy and its clients. A Policy is not changed after it
// was made.
package outbound
