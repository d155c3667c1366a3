package link

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"testing"
)

// A client inside the process dials, and the driver hands its connection to the service. The
// driver ends once its connections have.
func TestProcessConnects(t *testing.T) {
	p := NewProcess()
	if _, err := p.Dial(Over); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody takes connections: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done, ended := make(chan error, 1), make(chan struct{})
	go func() {
		done <- p.Run(ctx, func(server Transport, from netip.Addr) {
			if from.IsValid() {
				t.Errorf("a client inside comes from %v", from)
			}
			b, err := server.Read()
			if err == nil {
				err = server.Write(append(b, '!'))
			}
			if trip, ok := server.(TripTimer).RoundTrip(); err != nil || trip != 0 || !ok {
				t.Errorf("%v, a way of %v, %t", err, trip, ok)
			}
			if _, err := server.Read(); err != io.EOF {
				t.Errorf("after the client has closed: %v", err)
			}
			close(ended)
		})
	}()
	client, err := p.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if b, err := client.Read(); err != nil || string(b) != "hello!" {
		t.Errorf("it reads %q, %v", b, err)
	}
	cancel()
	client.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	select {
	case <-ended:
	default:
		t.Error("the driver has ended before its connection")
	}
}
