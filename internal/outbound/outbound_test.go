package outbound

import (
	"net/netip"
	"testing"
)

func TestPermits(t *testing.T) {
	inside, err := ParseAllow([]string{"10.1.0.0/16", "127.0.0.1", "fd00::/8"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		address         string
		public, allowed bool // without and with the list
	}{
		{"8.8.8.8", true, true}, {"2606:4700::1111", true, true}, {"::ffff:8.8.8.8", true, true},
		{"127.0.0.1", false, true}, {"127.0.0.2", false, false}, {"::1", false, false}, {"::ffff:127.0.0.1", false, true}, {"::ffff:127.0.0.2", false, false},
		{"10.1.2.3", false, true}, {"10.2.0.1", false, false}, {"172.16.0.1", false, false}, {"192.168.0.1", false, false}, {"fd12::1", false, true}, {"fc00::1", false, false},
		{"169.254.169.254", false, false}, {"fe80::1", false, false}, {"fe80::1%eth0", false, false}, {"224.0.0.1", false, false}, {"ff02::1", false, false}, {"239.1.1.1", false, false},
		{"0.0.0.0", false, false}, {"::", false, false}, {"0.1.2.3", false, false}, {"255.255.255.255", false, false}, {"240.0.0.1", false, false},
		{"100.64.0.1", false, false}, {"192.0.0.8", false, false}, {"192.0.2.1", false, false}, {"198.18.0.1", false, false}, {"198.51.100.1", false, false}, {"203.0.113.1", false, false},
		{"64:ff9b::127.0.0.1", false, false}, {"64:ff9b:1::1", false, false}, {"2002:7f00:1::", false, false}, {"2001::1", false, false}, {"2001:db8::1", false, false}, {"fec0::1", false, false},
		{"192.88.99.1", false, false}, {"3fff::1", false, false}, {"fecf::1", false, false}, {"4000::1", false, false}, {"::127.0.0.1", false, false}, {"::ffff:0:127.0.0.1", false, false}, {"100::1", false, false},
	} {
		a := netip.MustParseAddr(c.address)
		if got := (Policy{}).Permits(a); got != c.public {
			t.Errorf("%s: permitted %t", c.address, got)
		}
		if got := (Policy{Allow: inside}).Permits(a); got != c.allowed {
			t.Errorf("%s with a list: permitted %t", c.address, got)
		}
	}
	if (Policy{}).Permits(netip.Addr{}) {
		t.Error("no address at all is permitted")
	}
	for _, bad := range []string{"", "here", "10.0.0.0/99", "::ffff:10.0.0.0/104", "fe80::1%eth0"} {
		if _, err := ParseAllow([]string{bad}); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
