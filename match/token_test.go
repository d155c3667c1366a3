package match

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// TestTokens: a token opens its owner's seat alone.
func TestTokens(t *testing.T) {
	s := New(Config{Key: NewKey()})
	defer s.Close()
	seat := Seat{Match: matchID, Slot: 3, Account: "0190f000-0000-7000-8000-00000000acc0"}
	token := s.newToken(seat)
	if got, ok := s.seatOf(token); !ok || got != seat {
		t.Errorf("%+v, %v", got, ok)
	}
	same, other := New(Config{Key: s.cfg.Key}), New(Config{})
	defer same.Close()
	defer other.Close()
	if got, ok := same.seatOf(token); !ok || got != seat {
		t.Errorf("after a restart: %+v, %v", got, ok)
	}
	if _, ok := other.seatOf(token); ok {
		t.Error("another server's key takes it")
	}
	for i := range token {
		forged := []byte(token)
		forged[i] ^= 1
		if got, ok := s.seatOf(string(forged)); ok && got != seat {
			t.Fatalf("byte %d changed, it is the seat %+v", i, got)
		}
	}
	largest := Seat{
		Match: matchID, Slot: grid.NoSlot, Account: seat.Account, Known: true, Epoch: 1 << 40, Serial: 1<<32 - 1, Spectator: true, Eyes: grid.NoTeam, Delay: spec.SpectatorDelayMax,
	}
	token = s.newToken(largest)
	if got, ok := s.seatOf(token); !ok || got != largest {
		t.Errorf("%+v, %v", got, ok)
	}
	hello, err := proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Resume: token}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wire.DecodeClient(hello); err != nil {
		t.Errorf("a token of %d bytes: %v", len(token), err)
	}
}

func TestKey(t *testing.T) {
	path := t.TempDir() + "/resume.key"
	key, err := Key(path)
	if err != nil || len(key) != keyBytes {
		t.Fatal(key, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if again, err := Key(path); err != nil || !bytes.Equal(again, key) {
		t.Errorf("after a restart: %x, %v", again, err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Key(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged key: %v", err)
	}
}
