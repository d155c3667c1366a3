package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// matchSearch: an admin finds matches by player, map and time, and turns pages. A
// search for a rare map stops after some rows, and goes on from there.
func matchSearch(t *testing.T, h *Harness, _ func() db.Store) {
	const many = 1100 // more than one search looks at
	ada, ben := h.NewGuest(t, "Ada"), h.NewGuest(t, "Ben")
	start := h.Now()
	at := func(k int) time.Time { return start.Add(time.Duration(k) * time.Minute) }
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		for k := range many {
			m := model.Match{ID: model.MatchID(fmt.Sprint(k)), Node: "elsewhere", State: model.MatchDone, Started: at(k), Ended: at(k + 1)}
			m.Spec.Map.Name = "Common Ring"
			switch k {
			case 3:
				m.Spec.Map.Name = "Rare Ford"
			case 5, 7:
				m.Spec.Participants = []model.Participant{{Start: 0, Account: ada.ID}, {Start: 1, Team: 1}}
			case 9:
				m.State = model.MatchLive
				m.Spec.Participants = []model.Participant{{Start: 0, Account: ben.ID}, {Start: 1, Account: ada.ID, Team: 1}}
			}
			if err := tx.Matches.Add(m); err != nil {
				return err
			}
		}
		return nil
	}))
	find := func(q admin.MatchSearch, limit int) (string, int64) {
		t.Helper()
		list, next, err := h.admin().Matches(ctx, q, limit)
		must(t, err)
		var ids []string
		for _, m := range list {
			ids = append(ids, string(m.ID))
		}
		return strings.Join(ids, " "), next
	}
	for _, c := range []struct {
		q     admin.MatchSearch
		limit int
		want  string
		more  bool
	}{
		{admin.MatchSearch{}, 3, "1099 1098 1097", true},
		{admin.MatchSearch{Account: string(ada.ID)}, 100, "9 7 5", false},
		{admin.MatchSearch{Account: string(ada.ID)}, 2, "9 7", true},
		{admin.MatchSearch{Account: string(ben.ID)}, 100, "9", false},
		{admin.MatchSearch{Account: string(ada.ID), States: []model.MatchState{model.MatchDone}}, 100, "7 5", false},
		{admin.MatchSearch{Account: string(ada.ID), From: at(7)}, 100, "9 7", false},
		{admin.MatchSearch{Account: string(ada.ID), To: at(7)}, 100, "5", false},
		{admin.MatchSearch{Account: string(ada.ID), Map: "rare"}, 100, "", false},
		{admin.MatchSearch{From: at(2), To: at(5)}, 100, "4 3 2", false},
		{admin.MatchSearch{Map: "COMMON r", To: at(5)}, 100, "4 2 1 0", false},
		{admin.MatchSearch{Map: "nowhere", To: at(5)}, 100, "", false},
	} {
		got, next := find(c.q, c.limit)
		if got != c.want || (next > 0) != c.more {
			t.Errorf("%+v: found %q, next %d, want %q, more %v", c.q, got, next, c.want, c.more)
		}
	}
	first, next := find(admin.MatchSearch{Map: "ford"}, 100)
	if first != "" || next == 0 {
		t.Fatalf("a search of %d matches found %q at once, next %d", many, first, next)
	}
	if second, end := find(admin.MatchSearch{Map: "ford", Before: next}, 100); second != "3" || end != 0 {
		t.Errorf("it goes on to %q, next %d", second, end)
	}
	_, _, err := h.admin().Matches(ctx, admin.MatchSearch{Account: "Nobody"}, 10)
	want(t, err, model.NotFound)
}
