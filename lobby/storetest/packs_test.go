package storetest

import (
	"reflect"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// catalogue has two versions of a pack, and notes the offered ones.
type catalogue struct{ offered []string }

func (*catalogue) Packs() []model.PackInfo {
	return []model.PackInfo{{Name: "frost", Version: "1", Hash: "aa"}, {Name: "frost", Version: "2", Hash: "bb"}}
}

func (s *catalogue) Offer(list []model.PublishedPack) {
	s.offered = nil
	for _, p := range list {
		s.offered = append(s.offered, p.Hash)
	}
}

func (*catalogue) Add([]byte) (model.PackInfo, error) { return model.PackInfo{}, model.Busy }

func (*catalogue) Missions() []model.Mission {
	return []model.Mission{{ID: "frost/lake", Pack: "bb", Scenario: "lake"}, {ID: "frost/gone", Pack: "aa", Scenario: "gone"}}
}

func (*catalogue) Scenario(hash, id string) ([]byte, bool) {
	return []byte("bot"), hash == "bb" && id == "lake"
}

// missions: a player's match of a mission begins at once, and the server keeps the best results.
func missions(t *testing.T, h *Harness, _ func() db.Store) {
	h.Room.Offered = &catalogue{}
	a := h.NewGuest(t, "commander")
	_, err := h.Room.PlayMission(ctx, Home, a, "frost/gone")
	want(t, err, model.NotFound)
	for i, x := range []struct {
		winners     []grid.Team
		ticks       uint32
		stars, best int32
		seconds     int
	}{
		{[]grid.Team{1}, 100, 3, 0, 0}, // lost
		{[]grid.Team{0}, 4000, 2, 2, 200},
		{[]grid.Team{0}, 2000, 1, 2, 100},
		{[]grid.Team{0}, 6000, 9, 3, 100},
	} {
		l, err := h.Room.PlayMission(ctx, Home, a, "frost/lake")
		must(t, err)
		if l.State != model.Playing || l.From.Mission != "frost/lake" || l.Host != a.ID {
			t.Fatalf("the lobby is %+v", l)
		}
		values := make([]map[string]int32, 2)
		values[l.Seats[l.SeatOf(a.ID)].Place] = map[string]int32{"stars": x.stars}
		must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Winners: x.winners, Ticks: x.ticks, Values: values}))
		_, own, err := h.Room.OwnMissions(ctx, a.ID)
		must(t, err)
		if r := own["frost/lake"]; r.Stars != int(x.best) || r.Seconds != x.seconds {
			t.Errorf("match %d: %+v, want %d stars in %d seconds", i, r, x.best, x.seconds)
		}
	}
}

// packs: one version of a name is published. A change of another node comes with the janitor's round.
func packs(t *testing.T, h *Harness, _ func() db.Store) {
	on := &catalogue{}
	h.Admin.Offered = on
	offers := func(want ...string) {
		t.Helper()
		if !reflect.DeepEqual(on.offered, want) {
			t.Errorf("offered %q, want %q", on.offered, want)
		}
	}
	chief := h.admin()
	must(t, chief.PublishPack(ctx, "aa"))
	offers("aa")
	must(t, chief.PublishPack(ctx, "bb"))
	offers("bb")
	list, err := chief.Packs(ctx)
	must(t, err)
	if len(list) != 2 || !list[0].Published.IsZero() || list[1].Published.IsZero() || list[1].By == "" {
		t.Errorf("the list: %+v", list)
	}
	want(t, chief.PublishPack(ctx, "cc"), model.NotFound)
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error { return tx.Packs.Publish("gone", "cc", "another node", h.Now()) }))
	h.Tick(t)
	offers("bb", "cc")
	if list, err = chief.Packs(ctx); err != nil || len(list) != 3 || list[2].Name != "gone" || list[2].Title != "" {
		t.Errorf("a pack that is not here: %+v, %v", list, err)
	}
	must(t, chief.WithdrawPack(ctx, "frost"))
	offers("cc")
	want(t, chief.WithdrawPack(ctx, "frost"), model.NotFound)
	rows, err := chief.Audit(ctx, 0, 10)
	must(t, err)
	if len(rows) < 3 || rows[0].Action != "pack.withdraw" || rows[0].Subject != "frost" || rows[1].Action != "pack.publish" || rows[1].Detail != "bb" {
		t.Errorf("the audit: %+v", rows)
	}
}
