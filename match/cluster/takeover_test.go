package cluster

import (
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/cluster/placement"
)

// A node whose match another takes, or says to have taken, doubts that it still has the match. Of the matches of a dead
// node those with the most clients come first.
func TestDoubtAndTurns(t *testing.T) {
	node := func(name string, inc uint64) Node {
		return Node{Name: name, Incarnation: inc, Sim: "s", Load: placement.Load{Most: 100}}
	}
	now := time.Duration(0)
	c := newCore(usualTimes, node("a", 1), now)
	beats := func(names ...string) (doubted []string) {
		for i, name := range names {
			b := heartbeat{V: beatVersion, Node: node(name, uint64(i+1))}
			if name == "b" && now == 0 {
				b.Taking = []string{"mine", "other"}
			}
			doubted = append(doubted, c.hear(now, b)...)
		}
		return doubted
	}
	c.run(now, []string{"mine"})
	if got := beats("a", "b"); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("b takes two matches, and a doubts %q", got)
	}
	for isNew, want := range map[bool][]string{true: {"mine"}, false: nil} {
		if got := c.told(now, owns{Name: "b", Incarnation: 2, New: isNew, Matches: []string{"mine", "other"}}); !slices.Equal(got, want) {
			t.Errorf("b says that it has two matches, new: %t, and a doubts %q", isNew, got)
		}
	}
	c.told(now, owns{Name: "b", Incarnation: 2, Matches: []string{"m1", "m2", "m3", "other"}, Clients: []int{1, 8, 3}})
	for _, m := range []string{"m2", "m3"} { // the bucket's word does not take the count away
		c.learn(now, m, &entry{Node: "b", Incarnation: 2, Sim: "s"})
	}
	for ; now < 3*time.Second; now += usualTimes.heartbeat {
		if due := beats("a"); len(due) > 0 {
			t.Fatal(due)
		}
		if turns := c.step(now); len(turns) > 0 {
			if want := []string{"m2", "m3", "m1", "other"}; !slices.Equal(turns, want) {
				t.Errorf("a takes %q, want %q", turns, want)
			}
			return
		}
	}
	t.Error("a takes no match of b")
}
