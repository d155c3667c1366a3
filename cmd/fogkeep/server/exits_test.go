package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/client/socket"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// toStudios has each field of a match that the server sends to a studio, and its meaning:
// no field shows players' views or actions. docs/contributing/fog.md has the table of exits.
var toStudios = map[string]string{
	"id": "which match", "lobby": "where it was made", "node": "which server", "url": "which server", "map": "which map", "options": "the rules agreed on",
	"started": "the clock", "ended": "the clock", "state": "whether it runs", "tick": "the clock", "players": "how many are connected", "spectators": "how many are connected",
	"seats": "who plays", "seats.account": "who plays", "seats.bot": "who plays", "seats.color": "who plays", "seats.level": "who plays", "seats.name": "who plays",
	"seats.slot": "who plays", "seats.subject": "who plays", "seats.team": "who plays",
	"seats.from": "who took a seat over", "seats.earlier": "who played before", "seats.earlier.account": "who played before", "seats.earlier.bot": "who played before",
	"seats.earlier.level": "who played before", "seats.earlier.name": "who played before", "seats.earlier.from": "who played before", "seats.earlier.to": "who played before",
	"result": "once it is over", "result.matchId": "once it is over", "result.reason": "once it is over", "result.ticks": "once it is over", "result.winners": "once it is over", "result.version": "once it is over",
	"result.seats": "once it is over", "result.seats.name": "once it is over", "result.seats.outcome": "once it is over", "result.seats.slot": "once it is over", "result.seats.faction": "once it is over",
	"result.seats.handicap": "once it is over", "result.seats.handicap.start": "once it is over", "result.seats.handicap.income": "once it is over", "result.seats.handicap.damage": "once it is over",
	"result.seats.team": "once it is over", "result.seats.score": "once it is over", "result.seats.values": "once it is over",
	"result.seats.from": "once it is over", "result.seats.earlier": "once it is over", "result.seats.earlier.account": "once it is over", "result.seats.earlier.bot": "once it is over",
	"result.seats.earlier.level": "once it is over", "result.seats.earlier.name": "once it is over", "result.seats.earlier.from": "once it is over", "result.seats.earlier.to": "once it is over",
}

// toReaders has each field of the events of a match.
var toReaders = map[string]string{
	"next": "the number of events told", "until": "the clock, late by the delay", "tickRate": "the rules agreed on", "delaySeconds": "the rules agreed on", "complete": "once it is over",
	"events": late, "events.kind": late, "events.tick": late, "events.end": late, "events.slot": late, "events.by": late, "events.assists": late, "events.team": late,
	"events.other": late, "events.at": late, "events.at.x": late, "events.at.y": late, "events.type": late, "events.name": late, "events.value": late, "events.losses": late,
	"events.losses.slot": late, "events.losses.count": late, "events.losses.value": late, "events.reason": late,
}

const late = "as late as the match's spectators see it"

// toEndpoints has each field of a webhook.
var toEndpoints = map[string]string{
	"id": "which event", "type": "which event", "at": "the clock", "match": "which match", "lobby": "where it was made", "map": "which map", "reason": "an admin's words",
	"until": "how long a ban lasts", "slot": "who came or went", "player": "who came or went", "player.account": "who came or went", "player.name": "who came or went",
	"player.issuer": "who came or went", "player.subject": "who came or went", "seats": "who plays", "seats.slot": "who plays", "seats.team": "who plays", "seats.bot": "who plays",
	"seats.name": "who plays", "seats.player": "who plays", "seats.player.account": "who plays", "seats.player.name": "who plays", "seats.player.issuer": "who plays",
	"seats.player.subject": "who plays", "result": "once it is over", "log": late,
}

// fieldsOf lists the fields of JSON that a type makes.
func fieldsOf(t reflect.Type, prefix string, skip ...string) (out []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		path := prefix + cmp.Or(name, f.Name)
		if out = append(out, path); !slices.Contains(skip, path) {
			out = append(out, fieldsOf(f.Type, path+".", skip...)...)
		}
	}
	return out
}

// asking is a request with its headers and body.
type asking struct {
	t        *testing.T
	at       string
	token    string
	requests int
}

func (a *asking) do(method, path string, body any) (int, []byte) {
	a.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		a.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(a.t.Context(), method, a.at+path, bytes.NewReader(raw))
	if err != nil {
		a.t.Fatal(err)
	}
	a.requests++
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", fmt.Sprint("k", a.requests))
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer res.Body.Close()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return res.StatusCode, nil
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return res.StatusCode, b
}

func (a *asking) must(method, path string, body, out any) {
	a.t.Helper()
	status, b := a.do(method, path, body)
	if status/100 != 2 {
		a.t.Fatalf("%s %s: %d %s", method, path, status, b)
	}
	if out != nil {
		if err := json.Unmarshal(b, out); err != nil {
			a.t.Fatal(err)
		}
	}
}

// reads lists the GET requests of a document below a path, with a match in them.
func reads(t *testing.T, document, match string, below ...string) (out []string) {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../../../lobby/api/" + document)
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		if item.Get == nil || !slices.ContainsFunc(below, func(b string) bool { return strings.HasPrefix(path, b) }) {
			continue
		}
		query := "?"
		for _, p := range item.Get.Parameters {
			if p.Value.In == "query" && (p.Value.Required || p.Value.Name == "seconds") {
				query += p.Value.Name + "=1&"
			}
		}
		out = append(out, strings.NewReplacer("{match}", match, "{id}", match).Replace(path)+strings.TrimRight(query, "?&"))
	}
	if len(out) == 0 {
		t.Fatalf("%s has nothing below %v", document, below)
	}
	slices.Sort(out)
	return out
}

// follow reads on and applies all frames: the server closes a client that is silent for half a minute, and the steps of a
// test may take longer on a busy machine. send sends a message.
func follow(c *socket.Conn) (send func(*pb.ClientFrame) error) {
	var mu sync.Mutex
	send = func(f *pb.ClientFrame) error {
		mu.Lock()
		defer mu.Unlock()
		return c.Send(f)
	}
	go func() {
		for tick := uint32(0); ; {
			b, err := c.Read()
			if err != nil {
				return
			}
			var f pb.ServerFrame
			if proto.Unmarshal(b, &f) != nil {
				return
			}
			if f.Tick > 0 {
				tick = f.Tick
			} else {
				tick += f.Span
			}
			if send(&pb.ClientFrame{Applied: tick}) != nil {
				return
			}
		}
	}()
	return send
}

// TestEveryOtherExit checks every exit of a match besides its sockets. Views from within
// take an admin with the right to look through the fog, the service API and webhooks a
// service key; a stranger, a player and a spectator reach no exit. A studio gets a closed
// list of fields, the same for two matches that differ in their players' actions.
func TestEveryOtherExit(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	told := map[string][]hook.HookBody{} // by match
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var e hook.HookBody
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		told[string(e.Match)] = append(told[string(e.Match)], e)
	}))
	defer endpoint.Close()
	s, _ := running(t, func(c *Config) { c.ServiceAddr, c.WebhookAllow = "127.0.0.1:0", []string{"127.0.0.1"} })
	at := s.Addresses()
	logIn := func(name, password string) *asking {
		t.Helper()
		a := &asking{t: t, at: at.Admins}
		var in struct{ Token string }
		a.must("POST", "/admin/api/login", map[string]any{"name": name, "password": password, "bearer": true}, &in)
		a.token = in.Token
		return a
	}
	chief := logIn("admin", s.FirstPassword())
	var made struct{ Password, Secret string }
	chief.must("POST", "/admin/api/admins", map[string]any{"name": "Vera", "role": "admin"}, &made)
	unseeing := logIn("Vera", made.Password)
	studio := func(issuer string) *asking {
		t.Helper()
		chief.must("POST", "/admin/api/keys", api.NewServiceKey{Name: issuer, Issuer: issuer, Scopes: []model.Scope{"matches:read", "matches:write", "players:read", "webhooks:write"}}, &made)
		return &asking{t: t, at: at.Services, token: made.Secret}
	}
	mine, other := studio("mine"), studio("other")
	mine.must("POST", "/service/api/webhooks", api.NewWebhookEndpoint{URL: endpoint.URL, Events: hook.HookKinds()}, nil)

	const delayS = 20 // of the events: longer than the steps until the test ends a match
	// Two matches. In the second one the players give orders.
	var ids []string
	var quitter func(*pb.ClientFrame) error // of the second match
	for n := range 2 {
		var out struct {
			Match   api.ServiceMatch
			Tickets []api.PlayerTicket
		}
		mine.must("POST", "/service/api/matches", api.ServiceMatchRequest{Map: "four-winds", Options: map[string]any{"spectatorDelay": delayS}, Seats: []api.ServiceSeat{{Subject: fmt.Sprint("a", n)}, {Subject: fmt.Sprint("b", n)}}}, &out)
		ids = append(ids, out.Match.ID)
		for _, ticket := range out.Tickets {
			c, w, why := guestOf(t, s, "").dial("/ws", ticket.Ticket)
			if w == nil {
				t.Fatal(why)
			}
			if n == 0 {
				follow(c)
				continue
			}
			o := &pb.Order{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_MOVE, To: &pb.Point{X: 40_000, Y: 40_000}}
			for h := range uint32(20) {
				o.Units = append(o.Units, h+1)
			}
			if err := c.Send(&pb.ClientFrame{Orders: []*pb.Order{o}}); err != nil {
				t.Fatal(err)
			}
			if why := watch(t, c, func(f *pb.ServerFrame) bool { return len(f.GetAnswers()) > 0 && f.Answers[0].Code == 0 }); why != "" {
				t.Fatal(why)
			}
			quitter = follow(c)
		}
	}
	var states []api.ServiceMatch
	for _, id := range ids {
		var m api.ServiceMatch
		eventually.Holds(t, "the match has both players and goes on", func() bool {
			mine.must("GET", "/service/api/matches/"+id, nil, &m)
			return m.Players != nil && *m.Players == 2 && m.Tick != nil && *m.Tick >= 40
		}, &m)
		m.ID, m.Lobby, m.Tick, m.Started = "", "", nil, time.Time{}
		for i := range m.Seats {
			m.Seats[i].Account, m.Seats[i].Subject, m.Seats[i].Name = "", "", ""
		}
		states = append(states, m)
	}
	if !reflect.DeepEqual(states[0], states[1]) || states[0].Result != nil {
		t.Errorf("the service API tells of two matches that differ in what players do\n%+v\n%+v", states[0], states[1])
	}
	// The events of a match come as late as its spectators see it.
	for _, id := range ids {
		var e model.MatchEvents
		mine.must("GET", "/service/api/matches/"+id+"/events", nil, &e)
		if len(e.Events) > 0 || e.Until != 0 || e.Complete || e.Delay != delayS {
			t.Errorf("the service API has events of the last %d s: %+v", delayS, e)
		}
	}
	kinds := func(id string) (out []string) {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range told[id] {
			e.ID, e.At, e.Match, e.Lobby, e.Player = "", time.Time{}, "", "", nil
			for i := range e.Seats {
				e.Seats[i].Player, e.Seats[i].Name = nil, ""
			}
			b, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(b))
		}
		slices.Sort(out)
		return out
	}
	var a, b []string
	eventually.Holds(t, "webhooks tell of both matches", func() bool {
		a, b = kinds(ids[0]), kinds(ids[1])
		return len(a) >= 3 && len(b) >= 3
	}, &a, &b)
	if !slices.Equal(a, b) {
		t.Errorf("webhooks tell of two matches that differ in what players do\n%v\n%v", a, b)
	}

	// The fields are a closed list.
	for _, x := range []struct {
		what   string
		fields []string
		table  map[string]string
	}{
		{"the service API", fieldsOf(reflect.TypeFor[api.ServiceMatch](), "", "map", "options"), toStudios},
		{"the events of a match", fieldsOf(reflect.TypeFor[model.MatchEvents](), ""), toReaders},
		{"a webhook", fieldsOf(reflect.TypeFor[hook.HookBody](), "", "result", "log"), toEndpoints},
	} {
		for _, f := range x.fields {
			if x.table[f] == "" {
				t.Errorf("%s tells %q, and no row says what that is (docs/contributing/fog.md)", x.what, f)
			}
		}
	}

	// Rights and exits.
	player := guestOf(t, s, "Player")
	for _, c := range []struct {
		paths  []string
		own    string // the listener that has it
		right  *asking
		others map[string]*asking // callers without the right there
		status int                // the caller's answer
	}{
		{
			paths: reads(t, "openapi.admin.json", ids[0], "/admin/api/inspect/", "/admin/api/live/matches/"), own: at.Admins, right: chief,
			others: map[string]*asking{"an admin without the right": unseeing}, status: http.StatusForbidden,
		},
		{
			paths: reads(t, "openapi.service.json", ids[0], "/service/api/matches/"), own: at.Services, right: mine,
			others: map[string]*asking{"a studio with other matches": other}, status: http.StatusNotFound,
		},
	} {
		for _, path := range c.paths {
			if status, b := c.right.do("GET", path, nil); status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound {
				t.Errorf("GET %s with the right to it: %d %s", path, status, b)
			}
			for name, a := range c.others {
				if status, _ := a.do("GET", path, nil); status != c.status {
					t.Errorf("GET %s by %s: %d, want %d", path, name, status, c.status)
				}
			}
			for name, token := range map[string]string{"a stranger": "", "a player": player.Token} {
				for _, listener := range []string{at.Players, at.Admins, at.Services} {
					a := &asking{t: t, at: listener, token: token}
					want := http.StatusNotFound
					if listener == c.own {
						want = http.StatusUnauthorized
					}
					if status, _ := a.do("GET", path, nil); status != want {
						t.Errorf("GET %s by %s at %s: %d, want %d", path, name, listener, status, want)
					}
				}
			}
		}
	}

	// Once a match is over, all its events can be read, a part at a time.
	if err := quitter(&pb.ClientFrame{Orders: []*pb.Order{{Seq: 2, Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}}); err != nil {
		t.Fatal(err)
	}
	var e model.MatchEvents
	eventually.Holds(t, "the events of the match are complete", func() bool {
		mine.must("GET", "/service/api/matches/"+ids[1]+"/events", nil, &e)
		return e.Complete
	}, &e)
	var kindsOf []string
	for _, x := range e.Events {
		kindsOf = append(kindsOf, x.Kind)
	}
	if !slices.Contains(kindsOf, "surrendered") || !slices.Contains(kindsOf, "out") {
		t.Fatalf("the match has the events %v", kindsOf)
	}
	last := e.Events[len(e.Events)-1]
	if last.Kind != "ended" || last.Team == nil || last.Reason != "surrender" || e.Next != len(e.Events) || e.Delay != 0 {
		t.Errorf("the last event is %+v of %+v", last, e)
	}
	// Webhooks tell the same events, in their order, and no event of the live match.
	var all []model.MatchEvent
	eventually.Holds(t, "webhooks tell all events", func() bool {
		mu.Lock()
		defer mu.Unlock()
		all = nil
		for _, x := range told[ids[1]] {
			if x.Log != nil {
				all = append(all, x.Log.Events...)
			}
		}
		return len(all) >= len(e.Events)
	}, &all)
	if !reflect.DeepEqual(all, e.Events) {
		t.Errorf("webhooks tell %+v, the list has %+v", all, e.Events)
	}
	mu.Lock()
	for _, x := range told[ids[0]] {
		if x.Log != nil {
			t.Errorf("a webhook tells of the newest moments of a match that goes on: %+v", x.Log)
		}
	}
	mu.Unlock()
	var rest model.MatchEvents
	mine.must("GET", fmt.Sprintf("/service/api/matches/%s/events?after=%d&limit=1", ids[1], e.Next-1), nil, &rest)
	if len(rest.Events) != 1 || !reflect.DeepEqual(rest.Events[0], last) || rest.Next != e.Next || !rest.Complete {
		t.Errorf("after all events but one there is %+v", rest)
	}
}
