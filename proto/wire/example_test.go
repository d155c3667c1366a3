package wire_test

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// The reader bounds the bytes of a client: bytes that are no message are an error, and
// never more.
func Example() {
	b, err := proto.Marshal(&pb.ClientFrame{Applied: 40, Orders: []*pb.Order{{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: []uint32{7}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := wire.DecodeClient(b)
	fmt.Println(f.Applied, f.Inputs[0].Seq, f.Inputs[0].Order.Kind, f.Inputs[0].Order.Units, err)

	_, err = wire.DecodeClient([]byte("\xff\xff\xff"))
	fmt.Println(err != nil)
	// Output:
	// 40 1 stop [7] <nil>
	// true
}
