package main

import (
	"strings"

	"github.com/fogkeep/fogkeep/orders"
)

// call is one way to make an order of a kind.
type call struct{ params, units, body string }

// ordersCS returns the class that makes orders, and the sets of kinds that prediction reads.
func ordersCS() string {
	var w writer
	w.line("// Made by internal/tools/csharp from orders/kind.go: the orders, and the kinds that replace tasks.")
	w.line("using System.Collections.Generic;")
	w.line("using System.Linq;")
	w.line("using Fogkeep.Wire;")
	w.line("")
	w.line("namespace Fogkeep")
	w.line("{")
	w.doc("Makes orders. Units and targets are handles, places are world units (1024 a tile), types and abilities are numbers of the welcome. docs/protocol.md (\"Orders\") has the parts of each kind. Units that go together go at the speed of the slowest of them.")
	w.line("public static class Give")
	w.line("{")
	sets := map[string][]string{}
	for k := orders.None + 1; int(k) < orders.Kinds; k++ {
		f := k.Form()
		name := pascal(strings.ToLower(f.ProtocolName()))
		for _, c := range callsOf(f) {
			w.doc(strings.ToUpper(f.Does[:1]) + f.Does[1:] + ".")
			w.line("public static Order %s(%s) { return With(%s, new Order { Kind = OrderKind.%s%s }); }", name, c.params, c.units, name, c.body)
		}
		set := kindSets[f.Tasks]
		sets[set] = append(sets[set], "OrderKind."+name)
		if f.Group {
			sets["Groups"] = append(sets["Groups"], "OrderKind."+name)
		}
	}
	w.line("")
	w.line("private static Order With(IEnumerable<uint> units, Order order)")
	w.line("{")
	w.line("order.Units.AddRange(units.Take(Limits.UnitsAnOrder)); // more would be MALFORMED")
	w.line("return order;")
	w.line("}")
	w.line("}")
	w.line("")
	w.line("internal static class OrderKinds")
	w.line("{")
	for _, s := range [][2]string{{"Tasks", "Kinds that replace a unit's tasks."}, {"Groups", "Kinds that give each unit a place of its own around the point."}} {
		w.doc(s[1])
		w.line("public static readonly HashSet<OrderKind> %s = new HashSet<OrderKind> { %s };", s[0], strings.Join(sets[s[0]], ", "))
	}
	w.line("}")
	w.line("}")
	return w.String()
}

var kindSets = map[orders.Tasks]string{orders.Replaces: "Tasks", orders.Drops: "Tasks"}

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
		c := call{units: "new uint[0]"}
		if f.Units == orders.Needed {
			c.units = "units"
		}
		for i, p := range parts {
			if i > 0 {
				c.params += ", "
			}
			c.params, c.body = c.params+p.params, c.body+p.body
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
