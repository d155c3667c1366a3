package main

import (
	"strings"

	"github.com/fogkeep/fogkeep/orders"
)

// call is one way to make an order of a kind.
type call struct{ Name, Does, Params, Units, Body string }

// orderFile has the calls that make orders, and the sets of kinds that prediction reads.
type orderFile struct {
	Calls         []call
	Tasks, Groups []string
}

func orderCalls() (out orderFile) {
	for k := orders.None + 1; int(k) < orders.Kinds; k++ {
		f := k.Form()
		name := pascal(strings.ToLower(f.ProtocolName()))
		for _, c := range callsOf(f) {
			c.Name, c.Does = name, f.Does
			out.Calls = append(out.Calls, c)
		}
		if f.Tasks == orders.Replaces || f.Tasks == orders.Drops {
			out.Tasks = append(out.Tasks, "OrderKind."+name)
		}
		if f.Group {
			out.Groups = append(out.Groups, "OrderKind."+name)
		}
	}
	return out
}

var numberNames = map[orders.Number]string{orders.TypeNumber: "type", orders.AbilityNumber: "ability", orders.ItemNumber: "place"}

// callsOf returns a call with each part that an order of the kind needs. A kind that takes a
// place or a target has a call for each; its number goes with the place.
func callsOf(f *orders.Form) (out []call) {
	type part struct{ params, body string }
	units := part{"IEnumerable<uint> units", ""}
	to, target := part{"int x, int y", ", To = new Point { X = x, Y = y }"}, part{"uint target", ", Target = target"}
	what := part{"uint " + numberNames[f.Number], ", What = " + numberNames[f.Number]}
	add := func(parts ...part) {
		if f.Tasks == orders.Replaces || f.Tasks == orders.ReplacesToAim {
			parts = append(parts, part{"bool queued = false", ", Queued = queued"})
		}
		if f.Group {
			parts = append(parts, part{"bool together = false", ", Together = together"})
		}
		c := call{Units: "new uint[0]"}
		if f.Units == orders.Needed {
			c.Units = "units"
		}
		for i, p := range parts {
			if i > 0 {
				c.Params += ", "
			}
			c.Params, c.Body = c.Params+p.params, c.Body+p.body
		}
		out = append(out, c)
	}
	var first []part
	if f.Units == orders.Needed {
		first = append(first, units)
	}
	if f.Target == orders.OneOf {
		add(append(first[:len(first):len(first)], target)...)
	}
	if f.Number != orders.NoNumber {
		first = append(first, what)
	}
	if f.Point == orders.Needed || f.Point == orders.OneOf {
		first = append(first, to)
	}
	if f.Target == orders.Needed {
		first = append(first, target)
	}
	add(first...)
	return out
}
