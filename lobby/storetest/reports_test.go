package storetest

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/report"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// reports: from the reports of players to the decision of a moderator, its effect, and the appeal. Forged reports are
// refused, and the reporter learns no outcome.
func reports(t *testing.T, h *Harness, _ func() db.Store) {
	host, foe, stranger := h.NewGuest(t, "host"), h.NewGuest(t, "foe"), h.NewGuest(t, "stranger")
	l := h.NewLobby(t, host, room.NewLobby{Map: "ford"})
	must(t, h.Room.Chat(ctx, l.ID, host.ID, "before"))
	_, err := h.Room.Join(ctx, Home, foe, l.ID, room.JoinRequest{})
	must(t, err)
	must(t, h.Room.Chat(ctx, l.ID, host.ID, "you fool"))
	must(t, h.Room.Chat(ctx, l.ID, host.ID, "and again"))
	u, err := h.Hub.Updates(ctx, l.ID, foe.ID, 0)
	must(t, err)
	lines := []int64{u.Events[0].Seq, u.Events[1].Seq}
	_, err = h.ready(l.ID, foe)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, host.ID)
	must(t, err)
	hostSlot, foeSlot := 0, 1
	tick := func(n uint32) *uint32 { return &n }
	send := func(by model.Account, n report.NewReport) error {
		n.Kind = "chat"
		return h.Report.Report(ctx, Home, by.ID, n)
	}
	match, lobby := string(l.Match), string(l.ID)

	want(t, send(stranger, report.NewReport{Match: match, Slot: &hostSlot}), model.NotFound)
	want(t, send(stranger, report.NewReport{Lobby: lobby, Line: lines[0]}), model.NotSeated)
	want(t, send(foe, report.NewReport{Lobby: lobby, Line: lines[0] - 1}), model.NotFound) // before it sat there
	want(t, send(foe, report.NewReport{Match: match, Slot: &hostSlot, Tick: tick(2000)}), model.BadTick)
	want(t, send(foe, report.NewReport{Match: match, Slot: &foeSlot}), model.BadRequest)
	want(t, send(foe, report.NewReport{Match: match, Lobby: lobby, Slot: &hostSlot}), model.BadRequest)
	want(t, send(foe, report.NewReport{Match: match, Slot: new(int), Text: strings.Repeat("x", model.CaseTextMax+1)}), model.BadText)
	want(t, send(foe, report.NewReport{Account: string(host.ID), Message: 1}), model.NotFound)
	want(t, h.Report.Report(ctx, Home, foe.ID, report.NewReport{Match: match, Slot: &hostSlot, Kind: "ugly"}), model.BadRequest)
	as := h.admin()
	all := func(state model.CaseState) []model.Case {
		t.Helper()
		list, err := as.Cases(ctx, state, 0, 10)
		must(t, err)
		return list
	}
	if list := all(""); len(list) > 0 {
		t.Fatalf("forged reports make the cases %+v", list)
	}

	// Two reports on the same match are one case; a lobby is another.
	must(t, send(foe, report.NewReport{Match: match, Slot: &hostSlot, Tick: tick(400), Text: " he swears "}))
	must(t, send(foe, report.NewReport{Match: match, Slot: &hostSlot}))
	must(t, send(foe, report.NewReport{Lobby: lobby, Line: lines[0]}))
	list := all(model.CaseOpen)
	if len(list) != 2 || list[1].Match != l.Match || list[1].Reports != 2 || list[0].Lobby != l.ID || list[0].Account != host.ID || list[0].Name != "host" {
		t.Fatalf("cases %+v", list)
	}
	id := list[1].ID
	must(t, as.NoteCase(ctx, id, "look at the chat"))
	file, err := as.Case(ctx, id)
	must(t, err)
	r := file.Reports[0]
	if r.Tick != 400 || r.Team != 1 || r.Text != "he swears" || r.Name != "foe" || fmt.Sprint(r.Lines) != fmt.Sprint([]model.ReportLine{{Tick: 400, Text: "seat 0 allies false"}}) || file.Reports[1].Tick != 1000 ||
		len(file.Notes) != 1 || file.Notes[0].Text != "look at the chat" || len(file.Others) != 1 {
		t.Errorf("case %+v", file)
	}
	inLobby, err := as.Case(ctx, list[0].ID)
	must(t, err)
	if got := inLobby.Reports[0].Lines; len(got) != 1 || got[0].Text != "you fool" || !got[0].At.Equal(u.Events[0].At) {
		t.Errorf("lines %+v", got)
	}

	// A mute, and its effect in each scope.
	h.befriend(t, host, foe)
	decide := func(id int64, v model.Verdict, scopes ...model.BanScope) error {
		return as.Decide(ctx, id, admin.Decision{Verdict: v, Scopes: scopes, Reason: "insults", For: time.Hour})
	}
	want(t, decide(id, model.Mute), model.BadRequest)
	want(t, decide(id, model.Mute, model.Search), model.BadRequest)
	want(t, decide(id, model.Keep), model.WrongState)
	// told returns how often the pages of the account and of the reporter have looked again.
	told := func() [2]int64 {
		var n [2]int64
		for i, a := range []model.Account{host, foe} {
			st, err := h.Queue.Standing(ctx, a.ID)
			must(t, err)
			n[i] = st.Relations
		}
		return n
	}
	before := told()
	must(t, decide(id, model.Mute, model.LobbyChat, model.MatchChat, model.Messages))
	if now := told(); now[0] != before[0]+1 || now[1] != before[1]+1 {
		t.Errorf("counts %v, before the decision %v", now, before)
	}
	want(t, decide(id, model.Nothing), model.WrongState)
	want(t, h.Room.Chat(ctx, l.ID, host.ID, "hello"), model.Muted)
	want(t, second(h.Relation.Say(ctx, host.ID, foe.ID, "hello")), model.Muted)
	must(t, h.Room.Chat(ctx, l.ID, foe.ID, "hello"))
	h.Tick(t)
	if until := h.Fakes.Muted[host.ID]; len(h.Fakes.Muted) != 1 || !until.Equal(h.Now().Add(time.Hour)) {
		t.Errorf("matches mute %v", h.Fakes.Muted)
	}
	if len(h.Fakes.Kicked) > 0 {
		t.Error("a mute kicks")
	}
	own, err := h.Report.Own(ctx, foe.ID)
	must(t, err)
	if got := fmt.Sprintf("%+v", own); len(own) != 3 || own[0].Closed || !own[1].Closed || strings.Contains(got, "insults") || strings.Contains(got, "mute") {
		t.Errorf("the reporter reads %s", got)
	}

	// The account learns the reason, and appeals once.
	notices, err := h.Report.Notices(ctx, host.ID)
	must(t, err)
	if len(notices) != 1 || notices[0].ID != id || len(notices[0].Bans) != 3 || notices[0].Bans[0].Reason != "insults" {
		t.Fatalf("notices %+v", notices)
	}
	want(t, h.Report.Appeal(ctx, Home, foe.ID, id, "not me"), model.NotFound)
	must(t, h.Report.Appeal(ctx, Home, host.ID, id, "I was provoked"))
	want(t, h.Report.Appeal(ctx, Home, host.ID, id, "please"), model.WrongState)
	if list := all(model.CaseAppealed); len(list) != 1 || list[0].Appeal != "I was provoked" {
		t.Errorf("appeals %+v", list)
	}
	must(t, decide(id, model.QueueBan)) // in place of the mute
	want(t, h.Report.Appeal(ctx, Home, host.ID, id, "please"), model.WrongState)
	must(t, h.Room.Chat(ctx, l.ID, host.ID, "hello"))
	h.Tick(t)
	if len(h.Fakes.Muted) != 0 {
		t.Errorf("matches still mute %v", h.Fakes.Muted)
	}
	password, err := as.Admins().Add(ctx, "mo", model.Moderator, false)
	must(t, err)
	_, login, err := h.Admin.AdminLogIn(ctx, Home, "mo", password)
	must(t, err)
	mo, err := h.Admin.Session(ctx, Home, login)
	must(t, err)
	want(t, mo.AllowFog(ctx, l.Match, "1", nil), model.Forbidden) // it runs
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "victory", Winners: []gridTeam{0}, Ticks: 2000}))
	// A moderator may look at the past matches of cases, and at no others.
	must(t, mo.AllowFog(ctx, l.Match, "1", nil))
	h.AddMatch(t, "other")
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		m, err := tx.Matches.Get("other")
		m.State, m.Ended, m.Result = model.MatchDone, h.Now(), &model.Outcomes{Reason: "victory"}
		return cmp.Or(err, tx.Matches.Save(m))
	}))
	want(t, mo.AllowFog(ctx, "other", "1", nil), model.Forbidden)
	_, err = h.Room.Leave(ctx, l.ID, host.ID)
	must(t, err)
	want(t, second(h.Queue.JoinQueue(ctx, Home, host, "1v1", "")), model.QueueBanned)
	h.Step(time.Hour + time.Minute)
	_, err = h.Queue.JoinQueue(ctx, Home, host, "1v1", "")
	must(t, err)

	// A later report opens a case again. A queue ban ends the search; a ban ends the session.
	must(t, send(foe, report.NewReport{Match: match, Slot: &hostSlot}))
	again := all(model.CaseOpen)[0].ID
	must(t, decide(again, model.QueueBan))
	st, err := h.Queue.Standing(ctx, host.ID)
	must(t, err)
	if again == id || st.Party != nil {
		t.Errorf("case %d again, party %v", again, st.Party)
	}
	must(t, decide(list[0].ID, model.FullBan))
	want(t, second(h.Queue.MakeParty(ctx, Home, host)), model.BannedAccount)

	// Quotas, of the account and of the address.
	for i := 0; ; i++ {
		if err := send(foe, report.NewReport{Match: match, Slot: &hostSlot}); err != nil {
			want(t, err, model.Throttled)
			break
		}
		if i > 10 {
			t.Fatal("reports have no quota")
		}
	}
	audited, err := as.Audit(ctx, 0, 100)
	must(t, err)
	seen := map[string]int{}
	for _, row := range audited {
		seen[row.Action]++
	}
	if seen["case.report"] < 4 || seen["case.note"] != 1 || seen["case.decide"] != 4 || seen["case.appeal"] != 1 {
		t.Errorf("audit %v", seen)
	}

	// Deleted accounts leave neither words nor cases.
	must(t, h.Account.DeleteAccount(ctx, Home, foe.ID, ""))
	file, err = as.Case(ctx, id)
	must(t, err)
	if r := file.Reports[0]; r.Reporter != "" || r.Name != "" || r.Text != "" || r.Tick != 400 {
		t.Errorf("of a deleted reporter %+v", r)
	}
	must(t, h.Account.DeleteAccount(ctx, Home, host.ID, ""))
	if list := all(""); len(list) > 0 {
		t.Errorf("of a deleted account %+v", list)
	}
}
