package db

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

const lobbyColumns = `num, id, name, host, map, password_hash, state, seat_limit, options, match_id, result, start_at, seq, created_at, touched_at, settings_version, origin, waiting, poll`

// olderOptions are the options without a stored value from an older build, with that
// build's behaviour.
var olderOptions = model.Options{SpeedPercent: 100, Teams: model.TeamsEach, Replays: model.ReplaysParticipants, Votes: model.VotesAll, VoteQuorum: model.VoteQuorum, VoteCooldown: model.VoteCooldown}

// lobbies reads lobbies with their seats.
func (t Lobbies) lobbies(rest string, args ...any) ([]*model.Lobby, error) {
	read, err := list(t, `SELECT `+lobbyColumns+` FROM lobbies WHERE `+rest, args, func(l *model.Lobby) []any {
		l.Options = olderOptions
		return []any{&l.Num, &l.ID, &l.Name, &l.Host, asJSON{&l.Map}, &l.PasswordHash, &l.State, &l.Limit, asJSON{&l.Options}, &l.Match, result(&l.Result),
			moment{&l.StartAt}, &l.Seq, moment{&l.Created}, moment{&l.Touched}, &l.SettingsVersion, asJSON{&l.From}, asJSON{&l.Waiting}, asJSON{&l.Poll}}
	})
	if err != nil || len(read) == 0 {
		return nil, err
	}
	out, byID, ids := make([]*model.Lobby, len(read)), map[model.LobbyID]*model.Lobby{}, make([]any, len(read))
	for i := range read {
		l := &read[i]
		out[i], byID[l.ID], ids[i] = l, l, string(l.ID)
	}
	return out, t.each(`SELECT lobby_id, slot, kind, COALESCE(account_id, ''), name, team, color, ready, since, open, level, faction, handicap FROM seats
		WHERE lobby_id IN (`+marks(len(ids))+`) ORDER BY lobby_id, slot`, ids, func(scan func(...any) error) error {
		var id model.LobbyID
		var s model.Seat
		if err := scan(&id, &s.Place, &s.Kind, &s.Account, &s.Name, &s.Team, &s.Color, &s.Ready, &s.Since, &s.Open, &s.Level, &s.Faction, asJSON{&s.Handicap}); err != nil {
			return err
		}
		byID[id].Seats = append(byID[id].Seats, s)
		return nil
	})
}

func (t Lobbies) lobby(rest string, args ...any) (*model.Lobby, error) {
	return first(t.lobbies(rest, args...))
}

func (t Lobbies) Get(id model.LobbyID) (*model.Lobby, error) { return t.lobby(`id = $1`, string(id)) }

// WithSeatsOf returns the lobbies in which accounts have a seat.
func (t Lobbies) WithSeatsOf(accounts []model.AccountID) (map[model.AccountID]*model.Lobby, error) {
	out := map[model.AccountID]*model.Lobby{}
	for part := range slices.Chunk(accounts, 500) {
		lobbies, err := t.lobbies(`id IN (SELECT lobby_id FROM seats WHERE account_id IN (`+marks(len(part))+`))`, anys(part)...)
		if err != nil {
			return nil, err
		}
		for _, l := range lobbies {
			for _, a := range l.Accounts() {
				out[a] = l
			}
		}
	}
	return out, nil
}

// Lock is Get with a lock; Save needs it.
func (t Lobbies) Lock(id model.LobbyID) (*model.Lobby, error) {
	l, err := t.lobby(`id = $1`+t.d.ForUpdate, string(id))
	if err != nil {
		return nil, err
	}
	if t.locked == nil {
		t.locked = map[model.LobbyID][]model.Seat{}
	}
	t.locked[id] = slices.Clone(l.Seats)
	return l, nil
}

// Add sets Num and stores Events.
func (t Lobbies) Add(l *model.Lobby) error {
	l.Seq = int64(len(l.Events))
	err := t.one(`INSERT INTO lobbies (id, name, search, host, map, password_hash, state, seat_limit, options, match_id, result, start_at, touched_at, seq, settings_version, waiting, poll, created_at, origin)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) RETURNING num`, append(lobbyArgs(l), ms(l.Created), encode(l.From)), &l.Num)
	if err != nil {
		return err
	}
	return t.saveParts(l, nil)
}

// Save stores a locked lobby, its seats and its Events, which it
// numbers. An account that sits elsewhere already is ErrTaken.
func (t Lobbies) Save(l *model.Lobby) error {
	old, ok := t.locked[l.ID]
	if !ok {
		return fmt.Errorf("lobby %s is saved without being locked", l.ID)
	}
	l.Seq += int64(len(l.Events)) // no other transaction counts while the row is locked
	if err := t.must(`UPDATE lobbies SET name = $2, search = $3, host = $4, map = $5, password_hash = $6, state = $7, seat_limit = $8,
		options = $9, match_id = $10, result = $11, start_at = $12, touched_at = $13, seq = $14, settings_version = $15, waiting = $16, poll = $17 WHERE id = $1`, lobbyArgs(l)...); err != nil {
		return err
	}
	if err := t.saveParts(l, old); err != nil {
		return err
	}
	if l.State == model.Closed && l.From != nil {
		if err := t.dropStart(l); err != nil {
			return err
		}
	}
	t.locked[l.ID] = slices.Clone(l.Seats)
	return nil
}

func lobbyArgs(l *model.Lobby) []any {
	return []any{string(l.ID), l.Name, model.LoginKey(l.Name + " " + l.Map.Name), string(l.Host), encode(l.Map), l.PasswordHash, string(l.State), l.Limit,
		encode(l.Options), string(l.Match), encode(l.Result), ms(l.StartAt), ms(l.Touched), l.Seq, l.SettingsVersion, encode(l.Waiting), encode(l.Poll)}
}

// saveParts stores the seats that differ from the old ones, and the events,
// whose numbers end with the lobby's.
func (t Lobbies) saveParts(l *model.Lobby, old []model.Seat) error {
	for _, s := range old { // first, so that an account may change its seat
		if !slices.ContainsFunc(l.Seats, func(n model.Seat) bool { return n.Place == s.Place && n.Account == s.Account }) {
			if _, err := t.exec(`DELETE FROM seats WHERE lobby_id = $1 AND slot = $2`, string(l.ID), s.Place); err != nil {
				return err
			}
		}
	}
	for i, s := range l.Seats {
		if slices.Contains(old, s) {
			continue
		}
		if !slices.ContainsFunc(old, func(n model.Seat) bool { return n.Place == s.Place && n.Account == s.Account }) {
			s.Since = l.Seq - int64(len(l.Events))
			l.Seats[i].Since = s.Since
		}
		if _, err := t.exec(`INSERT INTO seats (lobby_id, slot, kind, account_id, name, team, color, ready, since, open, level, faction, handicap) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
			ON CONFLICT (lobby_id, slot) DO UPDATE SET kind = excluded.kind, name = excluded.name, team = excluded.team, color = excluded.color, ready = excluded.ready, open = excluded.open, level = excluded.level, faction = excluded.faction, handicap = excluded.handicap`,
			string(l.ID), s.Place, string(s.Kind), null(string(s.Account)), s.Name, int(s.Team), int(s.Color), s.Ready, s.Since, s.Open, string(s.Level), s.Faction, encode(s.Handicap)); err != nil {
			return err
		}
	}
	for i, e := range l.Events {
		seq := l.Seq - int64(len(l.Events)-1-i)
		if _, err := t.exec(`INSERT INTO events (lobby_id, seq, kind, account_id, body, at) VALUES ($1, $2, $3, $4, $5, $6)`,
			string(l.ID), seq, string(e.Kind), string(e.Account), string(e.Body), ms(l.Touched)); err != nil {
			return err
		}
	}
	l.Events = nil
	return nil
}

// hasRoom is true of a lobby that a player could join: it has a free seat, or the
// host has opened one in the running match.
const hasRoom = `CASE state WHEN 'open' THEN seat_limit > (SELECT COUNT(*) FROM seats WHERE seats.lobby_id = lobbies.id AND kind <> 'spectator')
	WHEN 'playing' THEN EXISTS (SELECT 1 FROM seats WHERE seats.lobby_id = lobbies.id AND seats.open) ELSE FALSE END`

func (t Lobbies) List(f model.LobbyFilter) ([]*model.Lobby, error) {
	where, args := `search LIKE $1 ESCAPE '\'`, []any{like(f.Query)}
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	states := f.States
	if len(states) == 0 {
		states = []model.State{model.Open, model.Starting, model.Playing, model.Ended}
	}
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = arg(string(s))
	}
	where += ` AND state IN (` + strings.Join(names, ", ") + `)`
	if f.Public {
		where += ` AND password_hash = ''`
	}
	if f.HasRoom {
		where += ` AND ` + hasRoom
	}
	if f.Meeting {
		where += ` AND state <> 'ended' AND (` + hasRoom + ` OR (SELECT COUNT(*) FROM seats WHERE seats.lobby_id = lobbies.id AND kind = 'player') > 1)`
	}
	if f.Hosted {
		where += ` AND (host <> '' OR state = 'closed')`
	}
	if f.For != "" {
		me := arg(string(f.For))
		where += ` AND NOT EXISTS (SELECT 1 FROM relations b WHERE b.kind = 'block' AND (b.account_id = host AND b.other_id = ` + me + ` OR b.account_id = ` + me + ` AND b.other_id = host))`
	}
	if !f.UsedSince.IsZero() {
		where += ` AND touched_at >= ` + arg(ms(f.UsedSince))
	}
	if f.Before > 0 {
		where += ` AND num < ` + arg(f.Before)
	}
	return t.lobbies(where+` ORDER BY num DESC LIMIT `+arg(f.Limit), args...)
}

// Of returns the lobby in which the account has a seat.
func (t Lobbies) Of(a model.AccountID) (id model.LobbyID, err error) {
	err = t.one(`SELECT lobby_id FROM seats WHERE account_id = $1`, []any{string(a)}, &id)
	return id, err
}

// Events lists events after a number, in order.
func (t Lobbies) Events(id model.LobbyID, after int64, limit int) ([]model.Event, error) {
	return t.events(id, `seq > $2 ORDER BY seq`, after, limit)
}

// Chat lists the last lines of chat and announcements after a number, in
// order.
func (t Lobbies) Chat(id model.LobbyID, after int64, limit int) ([]model.Event, error) {
	list, err := t.events(id, `seq > $2 AND kind IN ('chat', 'announce') ORDER BY seq DESC`, after, limit)
	slices.Reverse(list)
	return list, err
}

func (t Lobbies) events(id model.LobbyID, condition string, after int64, limit int) ([]model.Event, error) {
	return list(t, `SELECT lobby_id, seq, kind, account_id, body, at FROM events WHERE lobby_id = $1 AND `+condition+` LIMIT $3`,
		[]any{string(id), after, limit}, func(e *model.Event) []any {
			return []any{&e.Lobby, &e.Seq, &e.Kind, &e.Account, raw(&e.Body), moment{&e.At}}
		})
}

// Touch notes that these lobbies, or their running matches, are in use now.
func (t Lobbies) Touch(ids []model.LobbyID, matches []model.MatchID, now time.Time) error {
	ids = slices.Clone(ids)
	for part := range slices.Chunk(matches, 500) {
		in, err := column[model.LobbyID](t, `SELECT id FROM lobbies WHERE match_id IN (`+marks(len(part))+`)`, anys(part)...)
		if err != nil {
			return err
		}
		ids = append(ids, in...)
	}
	slices.Sort(ids)
	for part := range slices.Chunk(slices.Compact(ids), 500) {
		// Locked in the order of ids, as elsewhere, against deadlocks.
		found, err := column[model.LobbyID](t, `SELECT id FROM lobbies WHERE state <> 'closed' AND id IN (`+marks(len(part))+`) ORDER BY id`+t.d.ForUpdate, anys(part)...)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		if _, err := t.exec(fmt.Sprintf(`UPDATE lobbies SET touched_at = $%d WHERE id IN (%s)`, len(found)+1, marks(len(found))), append(anys(found), ms(now))...); err != nil {
			return err
		}
	}
	return nil
}

// Seqs returns the number of each lobby's last event.
func (t Lobbies) Seqs(ids []model.LobbyID) (map[model.LobbyID]int64, error) {
	return numbers(t, `SELECT id, seq FROM lobbies WHERE id`, ids)
}

// numbers reads a number for each of many ids. sql ends before IN.
func numbers[K ~string](t reader, sql string, ids []K) (map[K]int64, error) {
	out := make(map[K]int64, len(ids))
	for part := range slices.Chunk(ids, 500) {
		some, err := byKey[K, int64](t, sql+` IN (`+marks(len(part))+`)`, anys(part)...)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, some)
	}
	return out, nil
}

// Due lists lobbies in state starting whose StartAt has passed.
func (t Lobbies) Due(now time.Time) ([]model.LobbyID, error) {
	return column[model.LobbyID](t, `SELECT id FROM lobbies WHERE state = 'starting' AND start_at <= $1 ORDER BY num LIMIT 100`, ms(now))
}

// Idle lists open or ended lobbies, untouched since.
func (t Lobbies) Idle(since time.Time, limit int) ([]model.LobbyID, error) {
	return column[model.LobbyID](t, `SELECT id FROM lobbies WHERE state IN ('open', 'ended') AND touched_at < $1 ORDER BY num LIMIT $2`, ms(since), limit)
}

// Counts returns how many lobbies are in each state but closed.
func (t Lobbies) Counts() (map[model.State]int64, error) {
	return byKey[model.State, int64](t, `SELECT state, count(*) FROM lobbies WHERE state <> 'closed' GROUP BY state`)
}

func anys[T ~string](list []T) (out []any) {
	for _, s := range list {
		out = append(out, string(s))
	}
	return out
}

// marks returns "$1, $2, ... $n".
func marks(n int) string { return marksFrom(1, n) }

// marksFrom returns n numbered parameters from a number on.
func marksFrom(first, n int) string {
	var b strings.Builder
	for i := first; i < first+n; i++ {
		if i > first {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "$%d", i)
	}
	return b.String()
}

// like makes a LIKE pattern (with \ as escape) of a part of a folded name.
func like(part string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(model.LoginKey(part)) + "%"
}

// AddStart stores the start of a new lobby's matches. It goes when the lobby is
// closed, and so does its origin.
func (t Lobbies) AddStart(id model.LobbyID, setup []byte) error {
	return t.run(`INSERT INTO lobby_starts (lobby_id, setup) VALUES ($1, $2)`, string(id), setup)
}

// Start returns the start of a lobby's matches, or [model.ErrNotFound].
func (t Lobbies) Start(id model.LobbyID) (setup []byte, err error) {
	err = t.one(`SELECT setup FROM lobby_starts WHERE lobby_id = $1`, []any{string(id)}, &setup)
	return setup, err
}

// dropStart deletes the start of a closed lobby's matches.
func (t Lobbies) dropStart(l *model.Lobby) error {
	l.From = nil
	if _, err := t.exec(`DELETE FROM lobby_starts WHERE lobby_id = $1`, string(l.ID)); err != nil {
		return err
	}
	return t.must(`UPDATE lobbies SET origin = '' WHERE id = $1`, string(l.ID))
}

// DeleteChat deletes the account's chat in lobbies.
func (t Lobbies) DeleteChat(id model.AccountID) error {
	return t.run(`DELETE FROM events WHERE account_id = $1 AND account_id <> '' AND kind = 'chat'`, string(id))
}
