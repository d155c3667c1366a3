package api

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// Guards: List hides hidden friends, changed does not wake a blocked account, and put tells no account of blocks and
// avoids. An account asks every operation that reads, with each id that it may know, and sees no difference.
func TestRelationsCannotBeProbed(t *testing.T) {
	w := newHarness(t, Config{})
	docs, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	param := regexp.MustCompile(`\{\w+\}`)
	ada, bob := w.guest("Ada"), w.guest("Bob")
	id := func(b *browser) string { return b.must("GET", "/api/me", nil, 200).at("account", "id").(string) }
	adaID, bobID := id(ada), id(bob)
	look := func(who *browser, ids ...string) string {
		var out strings.Builder
		for _, path := range slices.Sorted(maps.Keys(docs[0].Paths.Map())) {
			if docs[0].Paths.Map()[path].Get == nil || strings.HasSuffix(path, "/events") {
				continue
			}
			for _, id := range ids {
				at := param.ReplaceAllString(path, id)
				fmt.Fprintln(&out, at, who.do("GET", at, nil).raw)
				if at == path {
					break
				}
			}
		}
		return out.String()
	}
	later := func() {
		w.server.Step(6 * time.Second)
		w.server.Tick(t)
	}
	same := func(what, before, after string) {
		t.Helper()
		was := strings.Split(before, "\n")
		for i, line := range strings.Split(after, "\n") {
			if line != was[i] {
				t.Errorf("%s shows:\n%s\nbefore: %s", what, line, was[i])
			}
		}
	}

	ada.must("POST", "/api/friends", map[string]any{"name": "Bob"}, 200)
	bob.must("POST", "/api/friends", map[string]any{"name": "Ada"}, 200)
	bob.must("PUT", "/api/friends/presence", map[string]any{"hidden": true}, 200)
	w.server.Step(5 * time.Minute)
	later()
	code := bob.must("POST", "/api/party", nil, 200).at("party", "code").(string)
	bob.must("POST", "/api/party/leave", nil, 200)
	w.server.Step(5 * time.Minute)
	later()
	away := look(ada, bobID, code)
	bob.must("POST", "/api/party", nil, 200)
	bob.must("POST", "/api/queue", map[string]any{"queue": "2v2"}, 200)
	later()
	queued := regexp.MustCompile(`"waiting":\d+`) // the lengths of queues are public
	same("a hidden friend", queued.ReplaceAllString(away, ""), queued.ReplaceAllString(look(ada, bobID, code), ""))
	bob.must("DELETE", "/api/queue", nil, 200)
	bob.must("PUT", "/api/friends/presence", map[string]any{"hidden": false}, 200)
	later()
	if look(ada, bobID, code) == away {
		t.Error("a friend who is there looks like an absent one: this test sees nothing")
	}

	ada.must("DELETE", "/api/friends/"+bobID, nil, 200)
	party := ada.must("POST", "/api/party", nil, 200).at("party", "code").(string)
	before := look(bob, adaID)
	ada.must("PUT", "/api/avoids/"+bobID, nil, 200)
	same("an account that avoids another", before, look(bob, adaID))
	ada.must("PUT", "/api/blocks/"+bobID, nil, 200)
	same("an account that blocks another", before, look(bob, adaID))
	w.guest("Cal")
	cal := bob.must("POST", "/api/friends", map[string]any{"name": "Cal"}, 200)
	blocked := bob.must("POST", "/api/friends", map[string]any{"name": "Ada"}, 200)
	if len(blocked.at("outgoing").([]any)) != len(cal.at("outgoing").([]any))+1 {
		t.Errorf("a request to an account that blocks: %s", blocked.raw)
	}
	calID := cal.at("outgoing").([]any)[0].(map[string]any)["id"]
	if to, other := bob.do("POST", "/api/messages/"+adaID, map[string]any{"text": "x"}), bob.do("POST", fmt.Sprint("/api/messages/", calID), map[string]any{"text": "x"}); to.raw != other.raw {
		t.Errorf("a message to an account that blocks: %s, to another: %s", to.raw, other.raw)
	}
	join := func(code string) string {
		return bob.refused("POST", "/api/party/join", map[string]any{"code": code}, model.NoParty).raw
	}
	if got, old := join(party), join("of-an-old-invitation"); got != old {
		t.Errorf("the party of an account that blocks: %s, an old invitation: %s", got, old)
	}
}
