package orders_test

import (
	"fmt"

	"github.com/fogkeep/fogkeep/orders"
)

// The tables say the needs of each kind of order, and the meaning of each refusal.
func Example() {
	kind, _ := orders.ParseKind("attack-move")
	form := orders.Forms[kind]
	fmt.Println(kind, "needs a place:", form.Point == orders.Needed, "and a target:", form.Target == orders.Needed)
	code, _ := orders.ParseReject("TARGET_LOST")
	fmt.Println(uint8(code), code)
	// Output:
	// attack-move needs a place: true and a target: false
	// 15 TARGET_LOST
}
