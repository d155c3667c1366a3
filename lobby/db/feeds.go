package db

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// AddFeed notes that webhooks want the events of a match, the first ones from a time on.
func (t Hooks) AddFeed(m model.MatchID, due time.Time) error {
	return t.run(`INSERT INTO match_feeds (match_id, due_at) VALUES ($1, $2) ON CONFLICT (match_id) DO NOTHING`, string(m), ms(due))
}

func (t Hooks) feeds(rest string, args ...any) ([]model.MatchFeed, error) {
	return list(t, `SELECT f.match_id, f.told, f.due_at FROM match_feeds f JOIN matches m ON m.id = f.match_id WHERE `+rest, args,
		func(f *model.MatchFeed) []any { return []any{&f.Match, &f.Told, moment{&f.Due}} })
}

// Feeds lists the oldest matches of a node whose events webhooks want, and such matches of other nodes that have been
// due since a time.
func (t Hooks) Feeds(node string, since time.Time, limit int) ([]model.MatchFeed, error) {
	return t.feeds(`m.node = $1 OR f.due_at < $2 ORDER BY m.num LIMIT $3`, node, ms(since), limit)
}

// ClaimFeed puts a feed off, and reports whether it was still as read.
func (t Hooks) ClaimFeed(f model.MatchFeed, until time.Time) (bool, error) {
	n, err := t.exec(`UPDATE match_feeds SET due_at = $4 WHERE match_id = $1 AND told = $2 AND due_at = $3`, string(f.Match), f.Told, ms(f.Due), ms(until))
	return n > 0, err
}

// SaveFeed stores a feed of which so many events had been told, and reports whether that was so.
func (t Hooks) SaveFeed(f model.MatchFeed, told int) (bool, error) {
	n, err := t.exec(`UPDATE match_feeds SET told = $3, due_at = $4 WHERE match_id = $1 AND told = $2`, string(f.Match), told, f.Told, ms(f.Due))
	return n > 0, err
}

func (t Hooks) DropFeed(m model.MatchID) error {
	return t.run(`DELETE FROM match_feeds WHERE match_id = $1`, string(m))
}
