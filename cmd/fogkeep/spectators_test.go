package main

import (
	"sync/atomic"
	"testing"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/model"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// TestWatchAMatch: a spectator's way from the lobby to a browser's socket. It is
// as late as the host's option says, gives no orders, changes its eyes with a
// new ticket, and watches no longer once it leaves.
func TestWatchAMatch(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error")
	play := s.url(t, "play")
	ctx, host, watcher := t.Context(), guest(t, play, "Ada"), guest(t, play, "Bob")
	l, err := host.CreateLobby(ctx, api.NewLobby{Name: "to be watched", Map: "twin-fords", Limit: 2, Options: map[string]any{"spectatorDelay": 3}})
	if err == nil {
		_, err = host.AddBot(ctx, l.ID, api.BotRequest{})
	}
	if err == nil {
		_, err = host.Start(ctx, l.ID)
	}
	if err == nil {
		_, err = watcher.Join(ctx, l.ID, api.JoinRequest{Spectate: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	player := host.open(host.ticket(l.ID))
	if w, _ := player.welcome(); w == nil {
		t.Fatal("the player is not welcome")
	}
	var live atomic.Uint32
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			_, b, err := player.conn.ReadMessage()
			if err != nil {
				return
			}
			f := &pb.ServerFrame{}
			if proto.Unmarshal(b, f) != nil || f.Closing != nil {
				return
			}
			if f.Welcome != nil {
				continue
			}
			if f.Tick != 0 {
				live.Store(f.Tick)
			} else {
				live.Add(max(1, f.Span))
			}
			if b, err = proto.Marshal(&pb.ClientFrame{Applied: live.Load()}); err != nil || player.conn.WriteMessage(websocket.BinaryMessage, b) != nil {
				return
			}
		}
	}()
	defer func() { player.conn.Close(); <-done }()

	const late = 60 // ticks
	w := watcher.open(watcher.ticket(l.ID))
	welcome, closing := w.welcome()
	if !welcome.GetSpectator() || welcome.GetTeam() != 255 || welcome.GetSlot() != 255 || welcome.GetDelayTicks() != late {
		t.Fatalf("welcomed as %v, %v", welcome, closing)
	}
	w.send(&pb.ClientFrame{Orders: []*pb.Order{{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: []uint32{1}}}})
	snapshots, frames, answered, waited := 0, 0, false, false
	for frames < 60 {
		f := w.read()
		if f.Waiting != nil {
			waited = waited || f.Waiting.Ticks > 1 && f.Waiting.Ticks <= late
			continue
		}
		frames++
		if f.Tick != 0 {
			snapshots++
		}
		if f.Own != nil {
			t.Fatalf("told of a player's own: %v", f.Own)
		}
		for _, a := range f.Answers {
			answered = welcome.Codes[a.Code] == "NOT_ALIVE"
		}
		// The player's frame of a tick left before; but a tick without news has
		// none, for up to a second, and it may be read a little later.
		if now := live.Load(); w.tick+late > now+25 {
			t.Fatalf("tick %d is shown at %d", w.tick, now)
		}
	}
	if !waited || !answered || snapshots != 1 {
		t.Errorf("waited %v, the order answered %v, %d snapshots", waited, answered, snapshots)
	}

	team := 1
	if _, err := watcher.ChangeSeat(ctx, l.ID, model.SeatChange{Team: &team}); err != nil {
		t.Fatal(err)
	}
	w2 := watcher.open(watcher.ticket(l.ID))
	welcome, closing = w2.welcome()
	if welcome.GetTeam() != 1 || !welcome.GetSpectator() {
		t.Fatalf("with the eyes of a team, welcomed as %v, %v", welcome, closing)
	}
	if code := w.closed().Code; code != "replaced" {
		t.Errorf("the first socket is closed with %q", code)
	}
	for w2.tick == 0 {
		w2.read()
	}
	if _, err := watcher.Leave(ctx, l.ID); err != nil {
		t.Fatal(err)
	}
	if code := w2.closed().Code; code != "not_seated" {
		t.Errorf("who left is closed with %q", code)
	}
	if back, closing := watcher.open(&pb.Hello{Resume: welcome.GetResume()}).welcome(); closing.GetCode() != "not_seated" {
		t.Errorf("who left comes back: %v, %v", back, closing)
	}
}
