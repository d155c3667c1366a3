package quota

import "net/netip"

// Payer is the account and the address on which the use of a resource counts. Zero fields are not counted: a bot has no account and no address, and an account is
// unknown before its session is known.
type Payer struct {
	Account string
	Address netip.Addr
	Trusted bool // an admin or a known account: it may take the reserve
}

// Prefixes returns the ranges by which an address is counted: the address itself, its network and its site, see
// [Address], [Network] and [Site]. Missing ranges are zero.
func Prefixes(a netip.Addr) (address, network, site netip.Prefix) {
	if a = a.Unmap().WithZone(""); !a.IsValid() {
		return
	}
	of := func(bits int) netip.Prefix {
		p, err := a.Prefix(bits)
		if err != nil {
			panic(err) // the bits fit the family
		}
		return p
	}
	if a.Is4() {
		return of(32), of(24), netip.Prefix{}
	}
	return of(64), of(56), of(48)
}

// key is the key of a count.
type key struct {
	resource Resource
	scope    Scope
	account  string
	prefix   netip.Prefix
	trusted  bool // rates only: strangers' share of a scope is a bucket of its own
}

// key returns the taker's key in a scope, if the scope counts it.
func (w Payer) key(r Resource, s Scope) (k key, ok bool) {
	k = key{resource: r, scope: s}
	address, network, site := Prefixes(w.Address)
	switch s {
	case Account:
		k.account = w.Account
	case Address:
		k.prefix = address
	case Network:
		k.prefix = network
	case Site:
		k.prefix = site
	}
	return k, s == Process || k.account != "" || k.prefix.IsValid()
}

// In returns the taker's name in a scope, for callers that keep stored counts; "" if the scope does not count it.
func (w Payer) In(s Scope) string {
	k, ok := w.key("", s)
	switch {
	case !ok:
		return ""
	case s == Process:
		return "all"
	case s == Account:
		return k.account
	}
	return k.prefix.String()
}

// keys calls f for each scope that the taker is counted in.
func (w Payer) keys(r Resource, f func(key) bool) bool {
	for s := Account; s < scopes; s++ {
		if k, ok := w.key(r, s); ok && !f(k) {
			return false
		}
	}
	return true
}
