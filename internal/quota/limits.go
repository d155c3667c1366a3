package quota

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Limits is the table: a row a resource.
type Limits []Limit

// limitMax bounds the value of a limit.
const limitMax = 1 << 40

// Of returns the row of a resource. It panics for an unknown one: resources are constants of this package.
func (t Limits) Of(r Resource) Limit {
	if i := t.find(r); i >= 0 {
		return t[i]
	}
	panic("quota: no resource " + string(r))
}

func (t Limits) find(r Resource) int {
	return slices.IndexFunc(t, func(l Limit) bool { return l.Resource == r })
}

// Set returns the table with changes of an operator: each is
// "resource.scope=number", where 0 is no limit, or "resource.reserve=percent". A change for
// addresses sets networks and sites too. Limits that are a part of the changed one follow it,
// unless they have changes of their own or the limit is taken away.
func (t Limits) Set(changes []string) (Limits, error) {
	t = slices.Clone(t)
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b string) int { return t.order(a) - t.order(b) })
	for _, c := range changes {
		name, value, ok := strings.Cut(strings.TrimSpace(c), "=")
		resource, scope, dotted := strings.Cut(name, ".")
		if !ok || !dotted {
			return nil, fmt.Errorf("--limit %q: want RESOURCE.SCOPE=NUMBER, such as %s.process=64", c, MatchTicks)
		}
		i := t.find(Resource(resource))
		if i < 0 {
			return nil, fmt.Errorf("--limit %q: unknown resource %q: the resources are %s", c, resource, strings.Join(t.names(), ", "))
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 || n > limitMax {
			return nil, fmt.Errorf("--limit %q: want a whole number from 0 (no limit) to %d", c, int64(limitMax))
		}
		if scope == "reserve" {
			if n > 90 {
				return nil, fmt.Errorf("--limit %q: a reserve is 0 to 90 percent", c)
			}
			t[i].Reserve = n
			continue
		}
		s := scopeOf(scope)
		switch {
		case s == Network || s == Site:
			return nil, fmt.Errorf("--limit %q: a network may take %d times as much as an address, and a site %d times: set %s.address", c, networkTimes, siteTimes, resource)
		case s == scopes:
			return nil, fmt.Errorf("--limit %q: unknown scope %q: the scopes are account, address, process and reserve", c, scope)
		case Defaults().Of(t[i].Resource).Most[s] == 0:
			return nil, fmt.Errorf("--limit %q: %s are not counted by %s", c, resource, scope)
		}
		t[i].set(s, n)
		for j := range t {
			if p := t[j].part; n > 0 && p.base == t[i].Resource && slices.Contains(p.scopes, s) {
				t[j].set(s, p.in(n))
			}
		}
	}
	return t, nil
}

// order has the changes of parts after their base's, so that they hold.
func (t Limits) order(change string) int {
	resource, _, _ := strings.Cut(strings.TrimSpace(change), ".")
	return t.find(Resource(resource)) // a row stands after its base
}

func (t Limits) names() []string {
	var out []string
	for _, l := range t {
		out = append(out, string(l.Resource))
	}
	return out
}

func scopeOf(name string) Scope {
	s := Account
	for s < scopes && s.String() != name {
		s++
	}
	return s
}

// at returns the row's limit in a scope for a taker, trusted or not.
func (l *Limit) at(s Scope, trusted bool) int64 {
	n := l.Most[s]
	if s != Account && !trusted {
		n -= n * l.Reserve / 100
	}
	return n
}
