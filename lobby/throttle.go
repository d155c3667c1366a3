package lobby

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Limits of attempts, each in a window of time. They are kept in the store, so
// a restart or a second process forgets none.
//
// A log-in that fails counts in three places:
//
//   - the network it came from (PerNetwork), whatever it tried;
//   - the pair of network and account name (PerPair);
//   - the account name, among networks from which nobody ever got in
//     (PerStrangers).
//
// So one attacker soon runs into PerPair and cannot fill PerStrangers alone;
// many attackers fill it together, and shut out strangers, but never the
// owner, who comes from a network that is known. Counting is by the name that
// was typed, whether there is such an account or not.
type Limits struct {
	Window       time.Duration // 15 min
	PerPair      int           // 8
	PerNetwork   int           // 60
	PerStrangers int           // 120
	// New accounts and guests of one network in a window. A school or a LAN
	// party comes from one address: this bounds rows, not people.
	NewAccounts int // 60
	NewGuests   int // 600
	Chat        int // lines a minute and account: 30
	NewLobbies  int // a minute and account: 20
	Tickets     int // a minute and account: 60
	Hashes      int // passwords hashed for one who is logged in, a minute: 20
}

func (l Limits) withDefaults() Limits {
	l.Window = cmp.Or(l.Window, 15*time.Minute)
	l.PerPair = cmp.Or(l.PerPair, 8)
	l.PerNetwork = cmp.Or(l.PerNetwork, 60)
	l.PerStrangers = cmp.Or(l.PerStrangers, 120)
	l.NewAccounts = cmp.Or(l.NewAccounts, 60)
	l.NewGuests = cmp.Or(l.NewGuests, 600)
	l.Chat = cmp.Or(l.Chat, 30)
	l.NewLobbies = cmp.Or(l.NewLobbies, 20)
	l.Tickets = cmp.Or(l.Tickets, 60)
	l.Hashes = cmp.Or(l.Hashes, 20)
	return l
}

// attempt is one try at a password. It counts as failed from the start, so
// that a hundred tries at once are a hundred; success takes it back.
type attempt struct {
	key, network                 string // what was typed, folded and hashed; from where
	networkKey, pairKey, nameKey string
	known                        bool
}

func (s *Service) attemptOf(realm Realm, login string, c Client) attempt {
	sum := sha256.Sum256([]byte(LoginKey(login))) // bounds the key's length, whatever was typed
	key := string(realm) + ":" + hex.EncodeToString(sum[:16])
	a := attempt{key: key, network: c.Network()}
	a.networkKey = "login:net:" + a.network
	a.pairKey = "login:pair:" + key + ":" + a.network
	a.nameKey = "login:name:" + key
	return a
}

// begin counts the attempt, or refuses it. The queries are the same for every
// name.
func (a *attempt) begin(tx Tx, l Limits, now time.Time) error {
	var err error
	if a.known, err = tx.KnownPlace(a.key, a.network); err != nil {
		return err
	}
	nameLimit := l.PerStrangers
	if a.known {
		nameLimit = 1 << 30
	}
	for _, c := range []struct {
		key   string
		limit int
	}{{a.networkKey, l.PerNetwork}, {a.pairKey, l.PerPair}, {a.nameKey, nameLimit}} {
		n, ends, err := tx.Count(c.key, 1, now, l.Window)
		if err != nil {
			return err
		}
		if n > c.limit {
			return throttled(ends.Sub(now)) // rolls back: refused tries count nowhere
		}
	}
	return nil
}

// succeed takes the attempt back and remembers the place.
func (a *attempt) succeed(tx Tx, l Limits, now time.Time) error {
	if err := tx.Forget(a.pairKey); err != nil {
		return err
	}
	for _, key := range []string{a.networkKey, a.nameKey} {
		if _, _, err := tx.Count(key, -1, now, l.Window); err != nil {
			return err
		}
	}
	return tx.AddPlace(a.key, a.network, now)
}

// limit counts one use of something that is limited a network or account.
func (s *Service) limit(tx Tx, key string, most int, window time.Duration) error {
	now := s.Now()
	n, ends, err := tx.Count(key, 1, now, window)
	if err != nil {
		return err
	}
	if n > most {
		return throttled(ends.Sub(now))
	}
	return nil
}

// hashFor hashes a password at the wish of one who is logged in: counted first,
// since a hash costs the server more than the wish costs the client.
func (s *Service) hashFor(ctx context.Context, a AccountID, password string) (string, error) {
	if err := s.countHash(ctx, a); err != nil {
		return "", err
	}
	hash, err := s.hasher.hash(ctx, password)
	return hash, s.explain(err)
}

func (s *Service) countHash(ctx context.Context, a AccountID) error {
	return s.write(ctx, func(tx Tx) error { return s.limit(tx, "hash:"+string(a), s.Limits.Hashes, time.Minute) })
}

func throttled(wait time.Duration) error {
	return &Error{Code: Throttled, RetryAfter: max(time.Second, wait)}
}

// begin runs an attempt's begin in its own transaction, for those who may try
// at all.
func (s *Service) begin(ctx context.Context, a *attempt, may func(Tx) error) error {
	return s.write(ctx, func(tx Tx) error {
		if err := may(tx); err != nil {
			return err
		}
		return a.begin(tx, s.Limits, s.Now())
	})
}

// anyone may: admins are not kept out by bans, which other admins make, and who
// has a session was looked at already.
func anyone(Tx) error { return nil }
