package socket

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	home = "wss://play.example.org/ws"
	n1   = "wss://n1.example.org/ws"
	n2   = "wss://n2.example.org/ws"
)

func TestAddressesAreThoseOfTheTable(t *testing.T) {
	b, err := os.ReadFile("../../../proto/testdata/addresses.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct{ Told, Over, Address string }
	if err := json.Unmarshal(b, &rows); err != nil || len(rows) < 20 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows {
		if got := Address(r.Told, r.Over); got != r.Address {
			t.Errorf("%q over %s is %q, want %q", r.Told, r.Over, got, r.Address)
		}
	}
	if got := Address("https://"+strings.Repeat("a", 600)+".example.org", home); got != "" {
		t.Errorf("an address of more than 600 bytes is followed: %s", got)
	}
}

// tries returns the addresses of the next attempts if each fails.
func tries(r *Route, n int) (out []string) {
	for range n {
		r.Lost()
		out = append(out, r.Address())
	}
	return out
}

func TestARouteGoesWhereTheMatchIs(t *testing.T) {
	r := NewRoute(home, "https://n1.example.org")
	if r.Address() != n1 {
		t.Errorf("the first attempt is at %s", r.Address())
	}
	r.Welcomed([]string{"http://n3.example.org", "https://n2.example.org", home})
	if got := tries(r, 5); !slices.Equal(got, []string{n1, home, n2, n1, home}) {
		t.Errorf("after a loss it tries %q", got)
	}
	if pause := r.Moved("https://n2.example.org", time.Now()); pause != 0 || r.Address() != n2 || r.Place() != n2 {
		t.Errorf("after a move it waits %v and tries %s", pause, r.Address())
	}
	r.Welcomed(nil)
	if got := tries(r, 4); !slices.Equal(got, []string{n2, home, n2, home}) {
		t.Errorf("after the move and a loss it tries %q", got)
	}
	if r := NewRoute(home, "http://n1.example.org"); r.Address() != home || r.Place() != home {
		t.Errorf("without TLS it begins at %s", r.Address())
	}
}

// A server that expects the match back is asked again, but not for ever.
func TestARouteAsksAgainWhoKnowsOfTheMatch(t *testing.T) {
	r := NewRoute(home, "https://n1.example.org")
	r.Welcomed(nil)
	tries(r, 2)
	var at []string
	for range 6 {
		if r.Moved("", time.Now()) == 0 {
			t.Fatal("it does not wait")
		}
		at = append(at, r.Address())
	}
	if !slices.Equal(at, []string{home, home, home, home, n1, n1}) {
		t.Errorf("it asks %q", at)
	}
}

func TestARouteFollowsSoManyMoves(t *testing.T) {
	r, now, sent := NewRoute(home, ""), time.Unix(1000, 0), 0
	follow := func(d time.Duration) (n int) {
		for range 20 {
			sent++
			if r.Moved(fmt.Sprintf("https://n%d.example.org", sent%3), now.Add(d)) == 0 {
				n++
			}
		}
		return n
	}
	if got := follow(0); got != hopsMax {
		t.Errorf("it follows %d moves at once, want %d", got, hopsMax)
	}
	if got := follow(hopsTime - time.Millisecond); got != 0 {
		t.Errorf("within %v it follows %d more", hopsTime, got)
	}
	if got := follow(hopsTime); got != hopsMax {
		t.Errorf("after %v it follows %d, want %d", hopsTime, got, hopsMax)
	}
}

// Two servers that send a client to each other are a match on its way: the client
// waits where it was sent first, and can follow the next move.
func TestARouteDoesNotBounce(t *testing.T) {
	r, now := NewRoute(home, "https://n1.example.org"), time.Unix(1000, 0)
	r.Welcomed(nil)
	if r.Moved("https://n2.example.org", now) != 0 || r.Moved("https://n1.example.org", now.Add(time.Millisecond)) == 0 || r.Address() != n2 {
		t.Errorf("sent back at once it goes to %s", r.Address())
	}
	if r.Moved("https://n1.example.org", now.Add(backTime)) != 0 || r.Address() != n1 {
		t.Errorf("sent back later it goes to %s", r.Address())
	}
}

func TestARouteKeepsTLS(t *testing.T) {
	r := NewRoute("ws://play.example.org/ws", "")
	r.Welcomed(nil)
	r.Moved("https://n1.example.org", time.Now())
	r.Lost()
	if got := tries(r, 1); got[0] != "ws://play.example.org/ws" {
		t.Errorf("before a welcome over TLS it tries %q", got)
	}
	r.Moved("https://n1.example.org", time.Now())
	r.Welcomed([]string{"ws://n2.example.org/ws"})
	if r.Moved("ws://n2.example.org/ws", time.Now()) == 0 {
		t.Error("it follows a move out of TLS")
	}
	for _, at := range tries(r, 8) {
		if at != n1 {
			t.Errorf("after a welcome over TLS it tries %s", at)
		}
	}
}

func TestPausesAreShortFirst(t *testing.T) {
	var got []time.Duration
	for _, n := range []int{1, 2, 3, 14, 15, 16, 17, 18, 99} {
		got = append(got, pauseBefore(n)/time.Millisecond)
	}
	if want := []time.Duration{200, 400, 600, 600, 1200, 2400, 4800, 5000, 5000}; !slices.Equal(got, want) {
		t.Errorf("pauses of %v ms, want %v", got, want)
	}
	r, seen := NewRoute(home, ""), map[time.Duration]bool{}
	for range 10 {
		r.Welcomed(nil)
		pause := r.Lost()
		if seen[pause] = true; pause < 100*time.Millisecond || pause > 200*time.Millisecond {
			t.Errorf("the first pause is %v", pause)
		}
	}
	if len(seen) < 2 {
		t.Error("pauses do not vary")
	}
}

// A machine that is gone does not answer: with another address to try it costs a
// second and a half.
func TestARouteDoesNotWaitForAMachineThatIsGone(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // it takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := NewRoute("ws://127.0.0.1:1/ws", "http://"+l.Addr().String())
	began := time.Now()
	if c, err := r.Dial(t.Context(), nil); err == nil {
		c.Close()
		t.Fatal("it connected")
	}
	if took := time.Since(began); took >= dialTimeout {
		t.Errorf("it waited %v", took)
	}
	r.Lost()
	if r.Lost(); r.Address() != "ws://127.0.0.1:1/ws" {
		t.Errorf("then it tries %s", r.Address())
	}
}
