package socket

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/proto"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Messages carries whole messages both ways, as one end of a pipe inside the process does.
type Messages interface {
	Read() ([]byte, error)
	Write(msg []byte) error
	Close() error
}

// Over returns a connection over m, for [Client.Open]. The connection ends with ctx.
func Over(ctx context.Context, m Messages) Link {
	return &over{m, context.AfterFunc(ctx, func() { m.Close() })}
}

type over struct {
	Messages
	stop func() bool
}

// Send sends a message.
func (o *over) Send(f *pb.ClientFrame) error {
	b, err := proto.Marshal(f)
	if err == nil {
		err = o.Write(b)
	}
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	return nil
}

// Bye does nothing: Close follows, and the other end reads all earlier messages first.
func (*over) Bye() {}

// Close ends the connection.
func (o *over) Close() error {
	o.stop()
	return o.Messages.Close()
}
