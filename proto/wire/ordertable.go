package wire

import (
	"fmt"
	"strings"

	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// OrdersTable returns the fields of an order of each kind, in Markdown.
func OrdersTable() string {
	var b strings.Builder
	b.WriteString("| kind | `units` | `to` | `target` | `what` |\n| --- | --- | --- | --- | --- |\n")
	for k := pb.OrderKind(1); int(k) < len(pb.OrderKind_name); k++ {
		f := &orders.Forms[kinds[k]]
		name := strings.TrimPrefix(k.String(), "ORDER_KIND_")
		what := f.What
		if what == "" {
			what = "ignored"
		}
		fmt.Fprintf(&b, "| %s (%d) | %s | %s | %s | %s |\n", name, k, part(f.Units, ""), part(f.Point, f.To), part(f.Target, f.On), what)
	}
	return b.String()
}

func part(n orders.Need, what string) string {
	word := map[orders.Need]string{
		orders.Ignored: "ignored", orders.Needed: "needed", orders.OneOf: "this or the other", orders.Optional: "optional", orders.Forbidden: "none",
	}[n]
	switch {
	case what == "":
		return word
	case n == orders.Ignored:
		return what
	}
	return word + ": " + what
}
