package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A node that is only slow loses its matches. When it goes on, all nodes agree on the owners, and it takes no match
// from another node.
func TestASlowNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b", "c")
	w.start("a", 0, 10)
	w.start("b", 10, 20)
	w.until("the directory knows all", w.whole)
	w.nodes["a"].way.cut()
	w.until("its matches were taken", func() bool { return len(w.nodes["a"].host.Running()) == 0 })
	w.nodes["a"].way.heal()
	w.until("everybody agrees", func() bool { return w.whole() && len(living(w.nodes["b"])) == 3 && len(living(w.nodes["a"])) == 3 })
	time.Sleep(2 * quick.suspect) // nothing is taken back meanwhile
	if !w.whole() || len(w.nodes["a"].host.Running()) > 0 || w.takenTwice() > 0 {
		t.Errorf("afterwards a runs %d matches, %d were taken twice", len(w.nodes["a"].host.Running()), w.takenTwice())
	}
}

// A node that is cut off from everybody for long says so, suspects no node, and is a member again afterwards.
func TestPartition(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b", "c")
	w.start("b", 0, 10)
	w.until("the directory knows all", w.whole)
	w.nodes["a"].way.cut()
	w.until("it knows that it is alone", w.nodes["a"].Alone)
	if n := len(living(w.nodes["a"])); n != 3 {
		t.Errorf("a node that hears nobody, itself neither, counts %d of 3 as alive", n)
	}
	w.until("the others suspect it", func() bool { return len(living(w.nodes["b"])) == 2 && len(living(w.nodes["c"])) == 2 })
	w.nodes["a"].way.heal()
	w.until("it is one of them again", func() bool {
		return !w.nodes["a"].Alone() && len(living(w.nodes["b"])) == 3 && len(living(w.nodes["a"])) == 3
	})
	if n := w.taken(); n > 0 {
		t.Errorf("%d matches of living nodes were taken", n)
	}
}

// The journal server is gone for a while: no node is suspected, and matches that begin meanwhile are
// found in the directory afterwards.
func TestALogThatIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b")
	w.start("a", 0, 5)
	w.until("the directory knows all", w.whole)
	js, err := w.server.JetStreamConfig(), error(nil)
	if err = w.server.DisableJetStream(); err != nil {
		t.Fatal(err)
	}
	w.until("they know that they are alone", func() bool { return w.nodes["a"].Alone() && w.nodes["b"].Alone() })
	w.start("a", 5, 8)
	if err = w.server.EnableJetStream(js); err != nil {
		t.Fatal(err)
	}
	w.until("the directory knows all", func() bool { return w.whole() && !w.nodes["a"].Alone() && !w.nodes["b"].Alone() })
	if n := w.taken(); n > 0 {
		t.Errorf("%d matches of living nodes were taken", n)
	}
	w.kill("a")
	w.until("every match runs", w.whole)
}

func TestMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b", "c")
	w.start("a", 0, 3)
	w.until("the directory knows all", w.whole)
	if err := w.nodes["c"].Move(t.Context(), "match000", "b"); err != nil {
		t.Fatal(err)
	}
	if err := w.nodes["a"].Move(t.Context(), "match001", ""); err != nil {
		t.Fatal(err)
	}
	w.until("everybody knows", w.whole)
	if at, ok := w.nodes["c"].Where("match000"); !ok || at.Name != "b" {
		t.Errorf("match000 is at %v %v", at, ok)
	}
	if at, ok := w.nodes["c"].Where("match001"); !ok || at.Name == "a" {
		t.Errorf("match001 is at %v %v", at, ok)
	}
	w.nodes["b"].host.end("match000")
	w.until("the directory forgets it", func() bool {
		for _, n := range w.nodes {
			n.mu.Lock()
			_, known := n.core.entries["match000"]
			n.mu.Unlock()
			if known || slices.Contains(n.host.Running(), "match000") {
				return false
			}
		}
		return true
	})
	old := w.add("old", "sim0")
	w.until("it has joined", func() bool { return len(living(w.nodes["a"])) == 4 && len(living(old)) == 4 })
	for _, c := range []struct{ match, to, code string }{
		{"match002", "a", CodeUnderWay}, {"match002", "old", CodeOther}, {"match002", "nobody", CodeNoNode}, {"match002", "No Name", CodeNoNode},
		{"none", "b", CodeNotHere}, {"../none", "b", CodeNotHere}, {"match000", "b", CodeNotHere},
	} {
		if err := w.nodes["b"].Move(t.Context(), c.match, c.to); codeOf(err) != c.code {
			t.Errorf("move %s to %s: %v, not %s", c.match, c.to, err, c.code)
		}
	}
	if err := w.nodes["b"].Drain(t.Context(), "c", true); err != nil {
		t.Fatal(err)
	}
	w.until("a knows that c drains", func() bool { n, _ := w.nodes["a"].node("c"); return n.Draining })
	if err := w.nodes["b"].Move(t.Context(), "match002", "c"); codeOf(err) != CodeDraining {
		t.Errorf("a move to a node that drains: %v", err)
	}
	// Each of the two refuses it alone: one may not know yet that the other does.
	from, to := w.nodes["a"], w.nodes["c"]
	from.mu.Lock()
	_, err := from.choose("match002", "c")
	from.mu.Unlock()
	if codeOf(err) != CodeDraining {
		t.Errorf("the node of the match: %v", err)
	}
	to.mu.Lock()
	err = to.core.expect(0, "late")
	_, expected := to.core.expects["late"]
	to.mu.Unlock()
	if codeOf(err) != CodeDraining || expected {
		t.Errorf("the node that drains: %v, it expects the match: %t", err, expected)
	}
	if err := w.nodes["b"].Drain(t.Context(), "c", false); err != nil {
		t.Fatal(err)
	}
	w.until("a knows that c does not drain", func() bool { n, _ := w.nodes["a"].node("c"); return !n.Draining })
	if err := w.nodes["b"].Move(t.Context(), "match002", "c"); err != nil {
		t.Error(err)
	}
}

// The target of a move dies before it has taken the match, or refuses it: the match goes on.
func TestMoveToADyingNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b", "c")
	w.start("a", 0, 2)
	w.until("the directory knows all", w.whole)
	w.nodes["b"].host.mu.Lock()
	w.nodes["b"].host.slow = 10 * time.Second
	w.nodes["b"].host.mu.Unlock()
	moved := make(chan error, 1)
	go func() { moved <- w.nodes["a"].Move(context.Background(), "match000", "b") }()
	w.until("b takes it", func() bool { return w.nodes["b"].has("match000") })
	if at, ok := w.nodes["a"].Where("match000"); !ok || at.Name != "b" {
		t.Errorf("during the move it is said to be at %v %v", at, ok)
	}
	w.until("b expects it", func() bool { at, ok := w.nodes["b"].Where("match000"); return ok && at.Name == "b" })
	w.kill("b")
	if err := <-moved; codeOf(err) != CodeReturned {
		t.Errorf("the move ended with %v", err)
	}
	w.until("every match runs", w.whole)

	w.nodes["c"].host.mu.Lock()
	w.nodes["c"].host.refuse = errors.New("the disk is full")
	w.nodes["c"].host.mu.Unlock()
	err := w.nodes["a"].Move(t.Context(), "match001", "c")
	if codeOf(err) != CodeReturned || !strings.Contains(err.Error(), "goes on at a") {
		t.Errorf("the move ended with %v", err)
	}
	w.until("every match runs", w.whole)
}

// The node that moves a match dies in the middle: the target goes on with it.
func TestMoveOfADyingNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b", "c")
	w.start("a", 0, 1)
	w.until("the directory knows all", w.whole)
	w.nodes["b"].host.mu.Lock()
	w.nodes["b"].host.slow = quick.suspect / 2
	w.nodes["b"].host.mu.Unlock()
	go func() { _ = w.nodes["c"].Move(context.Background(), "match000", "b") }()
	w.until("b takes it", func() bool { return w.nodes["b"].has("match000") })
	w.kill("a")
	w.until("every match runs", w.whole)
	if n := w.takenTwice(); n > 0 || len(w.nodes["b"].host.Running()) != 1 {
		t.Errorf("b runs %d matches, %d were taken twice", len(w.nodes["b"].host.Running()), n)
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b", "c")
	w.start("a", 0, 50)
	w.until("the directory knows all", w.whole)
	if err := w.nodes["c"].Drain(t.Context(), "a", true); err != nil {
		t.Fatal(err)
	}
	w.until("a is empty", func() bool { return len(w.nodes["a"].host.Running()) == 0 })
	w.until("everybody knows", w.whole)
	if n := w.takenTwice(); n > 0 {
		t.Errorf("%d matches moved twice", n)
	}
	// A heartbeat of a tells b of the drain.
	w.until("a new match goes to b or c", func() bool {
		nodes, err := w.nodes["b"].Place("new")
		return err == nil && len(nodes) == 2 && nodes[0].Name != "a" && nodes[1].Name != "a"
	})
	// A server that stops moves its matches away; the last one cannot.
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	if err := w.nodes["b"].Empty(ctx); err != nil {
		t.Fatal(err)
	}
	w.until("everybody knows", w.whole)
	w.until("c knows that b drains", func() bool { n, _ := w.nodes["c"].node("b"); return n.Draining })
	if err := w.nodes["c"].Empty(ctx); err == nil || len(w.nodes["c"].host.Running()) != 50 {
		t.Errorf("the last node is empty: %v, %d matches", err, len(w.nodes["c"].host.Running()))
	}
}

// New matches are spread, though the load that is known is a heartbeat old.
func TestPlaceSpreads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b", "c")
	count := map[string]int{}
	for i := range 60 {
		nodes, err := w.nodes["a"].Place(fmt.Sprint("match", i))
		if err != nil {
			t.Fatal(err)
		}
		count[nodes[0].Name]++
	}
	for name, n := range count {
		if n < 12 || n > 28 {
			t.Errorf("%s gets %d of 60", name, n)
		}
	}
	for _, n := range w.nodes {
		n.host.mu.Lock()
		n.host.most = 1
		n.host.mu.Unlock()
	}
	w.until("there is no room", func() bool { _, err := w.nodes["a"].Place("one"); return errors.Is(err, ErrFull) })
}

// Two processes of one name: the second is not let in while the first lives. A process that was stopped until it
// was replaced ends when it goes on.
func TestNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b")
	first := w.nodes["a"]
	w.times.heartbeat = quick.suspect / 3 // the second listens for three beats; on a busy machine the heartbeats of the first are late
	second := w.add("a", "sim1")
	w.times.heartbeat = quick.heartbeat
	if err := w.ended(second); !errors.Is(err, ErrNameTaken) {
		t.Errorf("a second node of the same name: %v", err)
	}
	first.way.cut()
	w.until("it is suspected", func() bool { return len(living(w.nodes["b"])) == 1 })
	third := w.add("a", "sim1")
	w.until("the new one has joined", func() bool { return len(living(third)) == 2 })
	first.way.heal()
	if err := w.ended(first); !errors.Is(err, ErrReplaced) {
		t.Errorf("the replaced process: %v", err)
	}
	w.until("b hears the new one", func() bool { n, _ := w.nodes["b"].node("a"); return n.Incarnation == third.self().incarnation })
}

// A node refuses a request that it cannot read, and one of a node before it has joined.
func TestRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b")
	w.start("b", 0, 2)
	w.until("the directory knows all", w.whole)
	a, b := w.nodes["a"], w.nodes["b"]
	for _, bad := range []Ask{
		{}, {Do: "none"}, {Do: askMove}, {Do: askExpect}, {Do: askTake, Match: "../x"}, {Do: askMove, Match: "x", To: "No Name"},
		{Do: askRunning, Matches: make([]string, mostAsked+1)},
	} {
		if _, err := b.Answer(t.Context(), bad); codeOf(err) != CodeBad {
			t.Errorf("%.60v: %v", bad, err)
		}
	}
	if _, err := a.ask(t.Context(), "c", Ask{Do: askDrain}); codeOf(err) != CodeNoNode {
		t.Errorf("a node that is not there: %v", err)
	}
	for _, from := range []*node{a, b} { // another node, and itself
		got, err := from.ask(t.Context(), "b", Ask{Do: askRunning, Matches: []string{"match000", "match001", "elsewhere"}})
		if err != nil || !slices.Equal(got, []string{"match000", "match001"}) {
			t.Errorf("b runs %v, %v", got, err)
		}
	}
	if got := a.askAll(t.Context(), Ask{Do: askRunning, Matches: []string{"match001", "elsewhere"}}); !slices.Equal(got, []string{"match001"}) {
		t.Errorf("all together run %v", got)
	}
	if _, err := b.Answer(t.Context(), Ask{Do: askTake, Match: "match000"}); err != nil || w.taken() > 0 {
		t.Errorf("a node is asked to take its own match: %v, %d taken", err, w.taken())
	}
	early, err := New(a.cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, do := range []string{askMove, askExpect, askTake} {
		if _, err := early.Answer(t.Context(), Ask{Do: do, Match: "x"}); !errors.Is(err, ErrNotJoined) {
			t.Errorf("%s before the node has joined: %v", do, err)
		}
	}
}

// Nodes go on after every message to their subjects.
func TestHostileMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b")
	w.start("a", 0, 3)
	w.until("the directory knows all", w.whole)
	conn, err := nats.Connect("", nats.InProcessServer(w.server))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w.nodes["a"].mu.Lock() // the node goes on meanwhile
	good := w.nodes["a"].core.heartbeat()
	w.nodes["a"].mu.Unlock()
	var bad [][]byte
	for _, change := range []func(*heartbeat){
		func(b *heartbeat) { b.V = 9 }, func(b *heartbeat) { b.Name = "A b" }, func(b *heartbeat) { b.Name = strings.Repeat("a", 40) }, func(b *heartbeat) { b.Incarnation = 0 },
		func(b *heartbeat) { b.URL = "javascript:alert(1)" }, func(b *heartbeat) { b.URL = "https://user:word@host/" }, func(b *heartbeat) { b.URL = "https://" + strings.Repeat("a", 600) },
		func(b *heartbeat) { b.Build = "a\nb" }, func(b *heartbeat) { b.Load.Matches = -1 }, func(b *heartbeat) { b.Load.Most = MaxMatchesOfNode + 1 }, func(b *heartbeat) { b.Load.Tick = -5 },
		func(b *heartbeat) { b.Taking = []string{"../x"} }, func(b *heartbeat) { b.Taking = make([]string, 100) }, func(b *heartbeat) { b.Streams = map[string]int{"a b": 1} },
		func(b *heartbeat) { b.Streams = map[string]int{"a": -1} }, func(b *heartbeat) { b.LogServer = "x y" }, func(b *heartbeat) { b.Sim = strings.Repeat("s", 200) },
	} {
		b := good
		b.Name = "evil"
		change(&b)
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readBeat(data); err == nil {
			t.Errorf("taken in: %s", data)
		}
		bad = append(bad, data)
	}
	bad = append(bad, nil, []byte("{"), []byte(`{"v":"x"}`), []byte(strings.Repeat("[", 1<<15)), make([]byte, 1<<20))
	for _, subject := range []string{beatSubject, ownsSubject} {
		for _, data := range bad {
			_ = conn.Publish(subject, data)
		}
	}
	for i := range MaxNodes + 50 { // more nodes than there may be
		b := good
		b.Name, b.Incarnation = fmt.Sprintf("crowd%d", i), uint64(1000+i)
		data, _ := json.Marshal(b)
		_ = conn.Publish(beatSubject, data)
	}
	kv := w.nodes["a"].dir.store()
	for key, value := range map[string]string{matchKey + "x": "{", matchKey + "y": `{"node":"No","inc":1}`, matchKey + "z": strings.Repeat("x", maxEntryBytes)} {
		if _, err := kv.Put(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	w.until("a has heard the crowd", func() bool { return len(w.nodes["a"].Nodes()) == MaxNodes })
	w.until("the crowd is gone", func() bool { return len(living(w.nodes["a"])) == 2 && len(living(w.nodes["b"])) == 2 })
	if n := w.taken(); !w.whole() || n > 0 {
		t.Errorf("%d matches were taken", n)
	}
}

// A stream of the journal store that does not answer, as while its leader is elected, is in the status all
// the same, and so are the others.
func TestStatusHasStreamsThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	conn, err := nats.Connect("", nats.InProcessServer(w.server))
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "fogkeep_j0", Subjects: []string{"fogkeep.j0.>"}}); err != nil {
		t.Fatal(err)
	}
	n := w.addOn("a", "sim1", conn, nil, func(c *Config) {
		c.LogServer = "l1"
		c.Streams = func() map[string]int { return map[string]int{"fogkeep_j0": 2, "fogkeep_j1": 1} }
	})
	w.until("both streams are in the status", func() bool {
		s, err := n.Status(t.Context())
		matches, _ := n.matchesOfStreams()
		return err == nil && len(s.Streams) == 2 && s.Streams[0].Name == "fogkeep_j0" && matches["fogkeep_j0"]["l1"] == 2 &&
			s.Streams[1].Name == "fogkeep_j1" && s.Streams[1].Leader == "" && matches["fogkeep_j1"]["l1"] == 1
	})
}
