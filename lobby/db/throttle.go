package db

import (
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// Count adds n to a counter that starts again from 0 at the end of each
// window, and returns its value and when the window ends.
func (t Throttle) Count(key string, n int, now time.Time, window time.Duration) (value int, ends time.Time, err error) {
	var endsAt int64
	err = t.one(`INSERT INTO counters (key, value, ends_at) VALUES ($1, $2, $3)
		ON CONFLICT (key) DO UPDATE SET
			value   = CASE WHEN counters.ends_at <= $4 THEN excluded.value ELSE counters.value + $5 END,
			ends_at = CASE WHEN counters.ends_at <= $4 THEN excluded.ends_at ELSE counters.ends_at END
		RETURNING value, ends_at`,
		[]any{key, max(n, 0), ms(now.Add(window)), ms(now), n}, &value, &endsAt)
	return value, fromMs(endsAt), err
}

// Counted only reads a counter's value and the end of its window.
func (t Throttle) Counted(key string, now time.Time) (value int, ends time.Time, err error) {
	var endsAt int64
	err = t.one(`SELECT value, ends_at FROM counters WHERE key = $1 AND ends_at > $2`, []any{key, ms(now)}, &value, &endsAt)
	if errors.Is(err, model.ErrNotFound) {
		return 0, now, nil
	}
	return value, fromMs(endsAt), err
}

// Reset sets counters back to 0.
func (t Throttle) Reset(keys ...string) error {
	for _, key := range keys {
		if _, err := t.exec(`DELETE FROM counters WHERE key = $1`, key); err != nil {
			return err
		}
	}
	return nil
}

// AddPlace remembers a network or device from which the login key was used
// with success; KnownPlace asks.
func (t Throttle) AddPlace(key, network string, now time.Time) error {
	return t.run(`INSERT INTO places (key, network, used_at) VALUES ($1, $2, $3)
		ON CONFLICT (key, network) DO UPDATE SET used_at = excluded.used_at`, key, network, ms(now))
}

func (t Throttle) KnownPlace(key, network string) (bool, error) {
	return t.exists(`SELECT 1 FROM places WHERE key = $1 AND network = $2`, key, network)
}

// DropPlaces forgets all places of login keys.
func (t Throttle) DropPlaces(keys ...string) error {
	for _, key := range keys {
		if _, err := t.exec(`DELETE FROM places WHERE key = $1`, key); err != nil {
			return err
		}
	}
	return nil
}
