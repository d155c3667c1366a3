package model

import (
	"net/netip"
	"time"
)

// Ban keeps an account, or everyone in a range of addresses, out of lobbies
// and matches. With a scope it closes that part alone.
type Ban struct {
	ID      int64        `json:"id"`
	Account AccountID    `json:"account,omitempty" doc:"account id"` // either this
	Name    string       `json:"name,omitempty" doc:"the account's name at the time"`
	Range   netip.Prefix `json:"range,omitzero" doc:"addresses"` // or this
	Reason  string       `json:"reason"`                         // shown to the banned
	By      string       `json:"by"`                             // the admin
	Created time.Time    `json:"created"`
	Until   time.Time    `json:"until,omitzero" doc:"absent: for good"`
	Lifted  time.Time    `json:"lifted,omitzero"` // zero while it holds
	Scope   BanScope     `json:"scope,omitempty" enum:"lobby,match,messages,queue" doc:"chat of lobbies, chat and pings of matches, messages to friends, or matchmaking; absent: everything"`
	Case    int64        `json:"case,omitempty" doc:"the case that it ends"`
}

// AddressKey turns an address into 32 hex digits that sort as addresses do, so
// that both databases can compare ranges of IPv4 and IPv6 alike.
func AddressKey(a netip.Addr) string {
	const hex = "0123456789abcdef"
	b := a.Unmap().As16()
	out := make([]byte, 0, 32)
	for _, v := range b {
		out = append(out, hex[v>>4], hex[v&15])
	}
	return string(out)
}

// RangeKeys returns the first and last [AddressKey] of a range.
func RangeKeys(p netip.Prefix) (lo, hi string) {
	bits := p.Bits()
	if p.Addr().Is4() {
		bits += 96
	}
	first, last := p.Masked().Addr().As16(), p.Masked().Addr().As16()
	for i := bits; i < 128; i++ {
		last[i/8] |= 0x80 >> (i % 8)
	}
	return AddressKey(netip.AddrFrom16(first)), AddressKey(netip.AddrFrom16(last))
}
