package budget

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
	panic("budget: no resource " + string(r))
}

func (t Limits) find(r Resource) int {
	return slices.IndexFunc(t, func(l Limit) bool { return l.Resource == r })
}

// Set returns the table with changes of an operator: each is
// "resource.scope=number", where 0 is no limit, or "resource.reserve=percent". A change for
// addresses sets networks and sites too, unless these have changes of their own.
func (t Limits) Set(changes []string) (Limits, error) {
	t = slices.Clone(t)
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b string) int { return order(a) - order(b) })
	for _, c := range changes {
		name, value, ok := strings.Cut(strings.TrimSpace(c), "=")
		resource, scope, dotted := strings.Cut(name, ".")
		if !ok || !dotted {
			return nil, fmt.Errorf("--limit %q: want RESOURCE.SCOPE=NUMBER, such as %s.process=64", c, MatchTicks)
		}
		i := t.find(Resource(resource))
		if i < 0 {
			return nil, fmt.Errorf("--limit %q: there is no resource %q; there are %s", c, resource, strings.Join(t.names(), ", "))
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
		if s == scopes {
			return nil, fmt.Errorf("--limit %q: there is no scope %q; there are account, address, network, site, process and reserve", c, scope)
		}
		counted := Defaults().Of(t[i].Resource).Most
		if counted[s] == 0 {
			return nil, fmt.Errorf("--limit %q: %s are not counted by %s", c, resource, scope)
		}
		if t[i].Most[s] = n; s == Address && counted[Network] != 0 {
			setAddress(&t[i].Most, n)
		}
	}
	return t, nil
}

// order has the changes of addresses first, so that those of networks and sites hold.
func order(change string) int {
	if strings.Contains(change, "."+Address.String()+"=") {
		return 0
	}
	return 1
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
