package solo

import (
	"context"
	secret "crypto/rand"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/inspectserver"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/replayserver"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/match/spec"
)

// Server runs the matches. Its methods may be called from any goroutine.
type Server struct {
	log      *slog.Logger
	maps     *mapfile.Library
	rules    *rules.Ruleset
	journals *journal.Dir
	matches  *match.Service
	library  *playback.Library
	replays  *replayserver.Service
	looks    *inspectserver.Service
	bots     *link.Process
	playing  sync.WaitGroup // bots, and their driver

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	folder   string
	starting sync.Mutex // held while a match is started, stopped or deleted
	running  string     // the match that was started or continued last
	stopBots func()     // of that match

	mu      sync.Mutex            // held for moments
	tickets map[string]match.Seat // that were not used yet
}

// Map is a map that can be played.
type Map struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Hash   string `json:"hash"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Starts int    `json:"starts"`
}

// Choice describes a match to start.
type Choice struct {
	Map   string `json:"map"`   // its id
	Bots  int    `json:"bots"`  // their number; each is a team of its own
	Level string `json:"level"` // of the bots
	Name  string `json:"name"`  // of the person
}

// Open returns a server whose journals are in a folder.
func Open(folder string, log *slog.Logger) (*Server, error) {
	s := &Server{log: log, folder: folder, bots: link.NewProcess(), stopBots: func() {}, tickets: map[string]match.Seat{}}
	var err error
	if s.maps, err = mapfile.Shipped(); err != nil {
		return nil, err
	}
	if s.rules, err = rules.Shipped("skirmish"); err != nil {
		return nil, err
	}
	if s.journals, err = journal.OpenDir(folder); err != nil {
		return nil, err
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.library = playback.New(playback.Config{Journals: s.journals, Logger: log})
	s.matches = match.New(match.Config{Journals: s.journals, Library: s.library, Admitter: s, Reporter: s, Logger: log})
	s.replays = replayserver.New(replayserver.Config{Library: s.library, Admitter: viewers{s}, Logger: log})
	s.looks = inspectserver.New(inspectserver.Config{Library: s.library, Live: s.matches, Logger: log})
	s.playing.Go(func() {
		defer panics.Catch(s.log, "bots", nil)
		_ = s.bots.Run(s.ctx, func(t link.Transport, _ netip.Addr) { s.matches.Serve(t) }) // it ends with ctx
	})
	return s, nil
}

// Close ends the match and waits for its bots.
func (s *Server) Close() {
	s.cancel()
	s.matches.Close()
	s.replays.Close()
	s.looks.Close()
	s.library.Close()
	s.playing.Wait()
}

// Maps lists the maps.
func (s *Server) Maps() (out []Map) {
	for _, e := range s.maps.List() {
		out = append(out, Map{e.ID, e.Map.Name, e.Hash.String(), e.Map.W, e.Map.H, len(e.Map.Starts)})
	}
	return out
}

// PublicMap returns the public form of a map.
func (s *Server) PublicMap(hash string) ([]byte, error) {
	h, err := grid.ParseMapHash(hash)
	if err != nil {
		return nil, err
	}
	e, ok := s.maps.ByHash(h)
	if !ok {
		return nil, fmt.Errorf("there is no map %s", hash)
	}
	return e.Map.Marshal(), nil
}

// Start ends the matches that are not over, starts another one with its bots, and returns the ticket of the person.
func (s *Server) Start(c Choice) (ticket string, err error) {
	e, ok := s.maps.ByID(c.Map)
	if !ok {
		return "", fmt.Errorf("there is no map %q", c.Map)
	}
	if most := len(e.Map.Starts) - 1; c.Bots < 1 || c.Bots > most {
		return "", fmt.Errorf("%d bots: the map %s has room for 1 to %d", c.Bots, e.Map.Name, most)
	}
	level, err := bot.Parse(c.Level)
	if err != nil {
		return "", err
	}
	m := spec.Match{ID: uuid.Must(uuid.NewV7()).String(), Map: e.Map, Rules: s.rules, Seed: rand.Uint64()}
	for i, start := range rand.Perm(len(e.Map.Starts))[:1+c.Bots] {
		m.Seats = append(m.Seats, spec.Seat{Name: fmt.Sprintf("Bot %d", i), Team: grid.Team(i), Start: start, Color: uint8(i), Bot: i > 0, Account: botAccount(i, level), Income: level.Income()})
	}
	m.Seats[0].Name, m.Seats[0].Account, m.Seats[0].Income = c.Name, "", 0
	if err := s.matches.Check(m); err != nil {
		return "", err
	}
	s.starting.Lock()
	defer s.starting.Unlock()
	if err := s.endOthers(); err != nil {
		return "", err
	}
	if err := s.matches.Start(m); err != nil {
		return "", err
	}
	return s.run(m.ID, m.Map, m.Seats)
}

// run lets the bots of a match play, and returns the ticket of its person.
func (s *Server) run(id string, m *grid.Map, seats []spec.Seat) (string, error) {
	s.mu.Lock()
	clear(s.tickets)
	s.mu.Unlock()
	var ctx context.Context
	s.running = id
	ctx, s.stopBots = context.WithCancel(s.ctx)
	for i, seat := range seats {
		if !seat.Bot {
			continue
		}
		level, err := botLevel(seat.Account)
		if err != nil {
			return "", fmt.Errorf("seat %d: %w", i, err)
		}
		s.play(ctx, s.ticket(id, grid.Slot(i), seat.Account), level, m)
	}
	return s.ticket(id, 0, ""), nil
}

// botAccount is the account of a bot's seat. The journal keeps it, so a resumed match has the levels of its bots.
func botAccount(n int, level bot.Skill) string { return fmt.Sprintf("%v bot %d", level, n) }

func botLevel(account string) (bot.Skill, error) {
	level, _, _ := strings.Cut(account, " ")
	return bot.Parse(level)
}

// ticket makes the ticket of a seat.
func (s *Server) ticket(id string, slot grid.Slot, account string) string {
	ticket := secret.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tickets[ticket] = match.Seat{Match: id, Slot: slot, Account: account}
	return ticket
}

// play lets a bot play a seat until its match ends.
func (s *Server) play(ctx context.Context, ticket string, level bot.Skill, m *grid.Map) {
	s.playing.Go(func() {
		defer panics.Catch(s.log, "bot", nil)
		_, err := bot.Play(ctx, bot.Config{
			Ticket: ticket, New: level.New, Log: s.log,
			Map: func(context.Context, string) (*grid.Map, error) { return m, nil },
			Open: func(ctx context.Context) (socket.Link, error) {
				t, err := s.bots.Dial(ctx)
				if err != nil {
					return nil, err
				}
				return socket.Over(ctx, t), nil
			},
		})
		if err != nil && ctx.Err() == nil {
			s.log.Debug("a bot left its match", "error", err)
		}
	})
}

// Connect serves a connection of the person's client until it ends.
func (s *Server) Connect(t link.Transport) { s.matches.Serve(t) }

// Watch serves a connection that shows the match again until the connection ends. The replay service refuses it while
// the match runs.
func (s *Server) Watch(t link.Transport) { s.replays.Serve(t) }

// viewers admits the person to the replay of the last match, with any eyes. Its ticket is the id of the match.
type viewers struct{ *Server }

// Redeem implements replayserver.Admitter.
func (v viewers) Redeem(_ context.Context, id string, _ netip.Addr) (shared.Right, error) {
	return shared.Right{Match: shared.MatchID(id), Eyes: grid.NoTeam}, nil
}

// Resume implements replayserver.Admitter.
func (v viewers) Resume(_ context.Context, r shared.Right, _ netip.Addr) (shared.Right, error) {
	return r, nil
}

// Redeem implements match.Admitter.
func (s *Server) Redeem(_ context.Context, ticket string, _ netip.Addr) (match.Seat, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seat, ok := s.tickets[ticket]
	if !ok {
		return seat, &link.Refusal{Code: "bad_ticket", Text: "there is no such ticket, or it was used"}
	}
	delete(s.tickets, ticket)
	return seat, nil
}

// Resume implements match.Admitter.
func (*Server) Resume(context.Context, match.Seat, netip.Addr) error { return nil }

// Release implements match.Admitter.
func (*Server) Release(context.Context, match.Seat, *link.Refusal) {}

// Ended implements match.Reporter. The client has the result from its last frame.
func (*Server) Ended(context.Context, match.Result) error { return nil }
