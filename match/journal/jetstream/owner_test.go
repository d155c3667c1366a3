package jetstream

import (
	"errors"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/journal"
)

// An owner sends frames for a lease after the moment at which its last message was begun. A doubt ends the lease at
// once, and an answer to an earlier message does not renew it.
func TestOwner(t *testing.T) {
	const second = time.Second
	o, first, err := Succeed(nil, 7, "a")
	if err != nil {
		t.Fatal(err)
	}
	o.Own(1, second)
	if !o.Owns(second+journal.Lease-1) || o.Due(second+journal.Lease/2-1) == 0 {
		t.Error("a new owner must ask at once")
	}
	if o.Due(second+journal.Lease/2) != 0 {
		t.Error("after half of the lease it sends no sign of life")
	}
	sign := o.Message(nil)
	o.Doubt(2 * second)
	if o.Owns(2*second) || o.Due(2*second) != 0 {
		t.Error("a doubt does not end the lease")
	}
	o.Written(2, 2*second-1)
	if o.Owns(2*second) || o.Due(2*second) != 0 {
		t.Error("an answer to a message from before a doubt renews the lease")
	}
	o.Message(nil)
	o.Written(3, 2*second)
	if !o.Owns(2 * second) {
		t.Error("an answer does not renew the lease")
	}

	if written, err := o.Settle(sign, 3, sign); written || !errors.Is(err, journal.ErrFenced) && err != nil {
		t.Errorf("an old end: %t, %v", written, err)
	}
	next, takes, err := Succeed(first, 8, "b")
	if err != nil || next.epoch != 2 {
		t.Fatal(next, err)
	}
	if written, err := o.Settle(o.Message(nil), 4, takes); written || !errors.Is(err, journal.ErrFenced) {
		t.Errorf("another owner's end: %t, %v", written, err)
	}
}
