// Package quota is the one ledger of everything that costs: live matches,
// sockets, event streams, password hashes, journal bytes, stored rows.
//
//	table.go ──► Limits ──Set(--limit)──► Ledger
//	                                        │ Take(resource, who, n) ──► Hold ──► Release
//	                                        │ Spend(resource, who, n)             (rates: never given back)
//	                                        ▼
//	                                   *Refusal: which limit, in words, and how long to wait
//
// Each resource is one row of the table in table.go. A row limits the use of one account, one address, one network, one
// site and the whole process. An address is an IPv4 /32 or an IPv6 /64, a network an IPv4 /24 or an IPv6 /56, a site an
// IPv6 /48: a home or a small provider's customer usually gets one of these, so moving within its addresses does not
// multiply a quota.
//
// Part of each shared quota is a reserve for admins and known accounts
// ([Payer].Trusted). Strangers are refused before the reserve begins.
//
// There are three kinds of rows. A held amount is counted while it lasts, and its [Hold] is released on every path. A
// rate is a token bucket (golang.org/x/time/rate). A stored amount is counted by the caller's database, because the
// count has to survive a restart; the ledger has only its numbers.
//
// match, lobby and cmd call it. All methods may be called from any goroutine. It never blocks, keeps no more keys than
// its bounds, and does not know the meaning of the resources.
package quota
