package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/replay"
)

// replayCatalogue: others find, watch and read a replay only while its host lists it and each of its players shares replays,
// and never before its spectators have seen its end. A private account shows its name alone.
func replayCatalogue(t *testing.T, h *Harness, _ func() db.Store) {
	a, b, w, x := h.NewGuest(t, "host"), h.NewGuest(t, "player"), h.NewGuest(t, "watcher"), h.NewGuest(t, "stranger")
	found := func(q replay.Search) (list []model.MatchID) {
		t.Helper()
		page, next, err := h.Replay.Catalogue(ctx, Home, x.ID, q)
		must(t, err)
		for _, f := range page {
			list = append(list, f.ID)
		}
		if next != 0 && len(list) < replay.CataloguePage {
			t.Errorf("%v has a next page", q)
		}
		return list
	}
	share := func(sharing string, all ...model.Account) {
		t.Helper()
		for _, who := range all {
			must(t, h.Account.Share(ctx, who.ID, sharing))
		}
	}
	l := h.staged(t, a, b, w, model.ReplaysListed)
	open := func(yes bool) {
		t.Helper()
		var text strings.Builder
		write, err := h.Replay.Archive(ctx, Home, &x, l.Match, false)
		if yes {
			must(t, err)
			must(t, write(&text))
		} else {
			want(t, err, model.NotFound)
		}
		_, err = h.Replay.ReplayTicket(ctx, Home, x.ID, l.Match, "", 0)
		if yes {
			must(t, err)
		} else {
			want(t, err, model.NotFound)
		}
		for _, q := range []replay.Search{{}, {Player: "Player"}, {Map: "ring"}} {
			if list := found(q); (len(list) == 1) != yes {
				t.Errorf("%+v finds %v", q, list)
			}
		}
	}
	must(t, h.Account.Share(ctx, a.ID, model.ShareReplays))
	want(t, h.Account.Share(ctx, a.ID, "everything"), model.BadRequest)
	share(model.ShareReplays, b)
	open(false) // it runs
	h.over(t, l)
	open(false) // its spectators have not seen the end
	_, err := h.Replay.Archive(ctx, Home, &a, l.Match, true)
	want(t, err, model.NotFound) // its players neither
	h.Step(time.Minute)
	open(true)
	for q, yes := range map[replay.Search]bool{
		{Mode: "skirmish", Shortest: 60, Longest: 60}: true, {Shortest: 61}: false, {Longest: 59}: false, {Mode: "deathmatch"}: false, {Map: "ford"}: false,
		{Player: "stranger"}: false, {Player: "nobody"}: false, {Weakest: 1}: false, {Best: 5000}: false, {Version: 1}: false, {Before: 1}: false,
	} {
		if list := found(q); (len(list) == 1) != yes {
			t.Errorf("%+v finds %v", q, list)
		}
	}
	r, err := h.Replay.Replay(ctx, Home, x.ID, l.Match, "")
	must(t, err)
	if r.Key != "" || r.MayShare || r.Players[1].Name != b.Name {
		t.Errorf("a stranger gets %+v", r)
	}
	right, err := h.Replay.Replay(ctx, Home, a.ID, l.Match, "")
	must(t, err)
	if right.Key == "" {
		t.Error("its player gets no link")
	}

	for _, less := range []string{model.ShareProfile, model.ShareName} {
		share(less, b)
		open(false)
		_, record, err := h.Account.Profile(ctx, b.ID)
		must(t, err)
		if (record.Played == 0) != (less == model.ShareName) {
			t.Errorf("who shares its %s has the record %+v", less, record)
		}
	}
	share(model.ShareReplays, b)
	open(true)
	_, err = h.Replay.SetReplays(ctx, Home, a.ID, l.Match, model.ReplaysLink)
	must(t, err)
	open(false)
	_, err = h.Replay.SetReplays(ctx, Home, a.ID, l.Match, model.ReplaysListed)
	must(t, err)
	open(true)

	// Pages, and the bound of reading.
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		m, err := tx.Matches.Get(l.Match)
		for range replay.CataloguePage {
			m.ID = model.MatchID(model.NewID())
			must(t, tx.Matches.Add(m))
			m, err = tx.Matches.Get(m.ID)
			must(t, err)
			must(t, replay.List(tx, &m))
		}
		return err
	}))
	page, next, err := h.Replay.Catalogue(ctx, Home, x.ID, replay.Search{Player: "HOST"})
	must(t, err)
	rest := found(replay.Search{Before: next})
	if len(page) != replay.CataloguePage || len(rest) != 1 || rest[0] != l.Match {
		t.Errorf("a page of %d, then %v", len(page), rest)
	}
	h.Ledger = Ledger("archive-reads.account=2")
	for range 2 {
		_, err = h.Replay.Archive(ctx, Home, &x, l.Match, true)
		must(t, err)
	}
	_, err = h.Replay.Archive(ctx, Home, &x, l.Match, true)
	want(t, model.AsError(err), model.Throttled)

	// A deleted player has never agreed.
	must(t, h.Account.DeleteAccount(ctx, Home, b.ID, ""))
	_, err = h.Replay.SetReplays(ctx, Home, a.ID, l.Match, model.ReplaysListed)
	must(t, err)
	if list := found(replay.Search{}); len(list) > 0 {
		t.Errorf("matches of a deleted player: %v", list)
	}
}
