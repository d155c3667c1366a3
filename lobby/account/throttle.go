package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// TryLobbyPassword compares a password with a lobby's hash, counted like a
// log-in.
func (s *Service) TryLobbyPassword(ctx context.Context, c model.Client, a model.AccountID, id model.LobbyID, password, hash string) error {
	key := "lobby:password:" + string(id) + ":" + c.Network()
	counts := []count{{key, s.Ledger.Limit(quota.WrongPasswords), quota.Address}}
	if err := s.try(ctx, counts, model.WrongPassword, func() (bool, error) {
		if err := s.MayHash(OtherRequest(c, a)); err != nil {
			return false, err
		}
		return s.Hasher.fits(ctx, OtherRequest(c, a), password, hash)
	}); err != nil {
		return err
	}
	return s.Write(ctx, func(tx *db.Tx) error { return tx.Throttle.Reset(key) })
}

// attempt is one try at a password. A wrong password counts; a try that fails for
// another reason (a busy server, no database, a client that left) does not.
//
// A try from a device that got in before counts for that device alone: no other client
// can use it up. A try from elsewhere counts for the name together with its address,
// for its address, network and site, and, unless a log-in from that address succeeded
// before, for the name among strangers. So an attacker soon shuts out its own address
// from the name, many attackers together shut out strangers, and no attacker shuts out
// an owner with its device. Counting is by the typed name, whether or not an account has that name. Players and admins
// share no counter: players behind the admin's address cannot shut it out.
type attempt struct {
	key    string // the typed name, folded and hashed
	from   model.Client
	device string // as a place; "" for a client that keeps no token
	known  bool   // a log-in from this device or address succeeded before, or an admin tries
	realm  model.Realm
	counts []count
}

// AttemptOf returns a try of a client to log in by a name.
func (s *Service) AttemptOf(realm model.Realm, login string, c model.Client) attempt {
	sum := sha256.Sum256([]byte(model.LoginKey(login))) // bounds the key's length for any input
	a := attempt{key: string(realm) + ":" + hex.EncodeToString(sum[:16]), from: c, realm: realm}
	if len(c.Device) == model.SecretLen {
		a.device = "device:" + string(c.Device.Hash())
	}
	return a
}

// requester has its password compared: known ones are served first.
func (a *attempt) requester() Requester {
	w := Requester{quota.Payer{Address: a.from.Address, Trusted: a.known}, logInLane}
	if a.known {
		w.lane = knownLane
	}
	return w
}

// CountersOf finds out where the try counts. The queries are the same for every name.
func (s *Service) CountersOf(tx *db.Tx, a *attempt) error {
	device := false
	var err error
	if a.device != "" {
		if device, err = tx.Throttle.KnownPlace(a.key, a.device); err != nil {
			return err
		}
	}
	network, err := tx.Throttle.KnownPlace(a.key, a.from.Network())
	if err != nil {
		return err
	}
	a.known = device || network || a.realm == model.AdminRealm
	failures, wrong := s.Ledger.Limit(quota.LoginFailures), s.Ledger.Limit(quota.WrongPasswords)
	if device {
		a.counts = []count{{"login:device:" + a.key + ":" + a.device, wrong, quota.Address}}
		return nil
	}
	strangers := failures
	if network {
		strangers.Most[quota.Account] = 0 // counted all the same: a neighbour must not see the difference
	}
	a.counts = []count{
		{"login:pair:" + a.key + ":" + a.from.Network(), wrong, quota.Address},
		{"login:name:" + a.key, strangers, quota.Account},
	}
	payer := quota.Payer{Address: a.from.Address}
	for scope := quota.Address; scope < quota.Process; scope++ {
		if in := payer.In(scope); in != "" {
			a.counts = append(a.counts, count{"login:" + string(a.realm) + ":" + scope.String() + ":" + in, failures, scope})
		}
	}
	return nil
}

// try runs one comparison of a password inside the counters' limits. Only a
// password that compare found wrong is counted; then the error is wrong.
func (s *Service) try(ctx context.Context, counts []count, wrong error, compare func() (bool, error)) error {
	beside := s.inFlight.begin(counts)
	defer s.inFlight.end(counts)
	if err := s.Read(ctx, func(tx *db.Tx) error {
		for i, c := range counts {
			n, ends, err := tx.Throttle.Counted(c.key, s.Now())
			if err != nil {
				return err
			}
			if c.most() > 0 && int64(n)+beside[i] > c.most() {
				return s.Refusal(c.limit, c.scope, ends)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	ok, err := compare()
	if err != nil {
		return s.Explain(err)
	}
	if ok {
		return nil
	}
	// A client that hangs up on a wrong password has still tried it.
	if err := s.Write(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		for _, c := range counts {
			if _, _, err := tx.Throttle.Count(c.key, 1, s.Now(), c.limit.Per); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return wrong
}

// TryLogIn compares a password with an account's or admin's.
func (s *Service) TryLogIn(ctx context.Context, a *attempt, password, hash string, costs []string) error {
	return s.try(ctx, a.counts, model.WrongCredentials, func() (bool, error) {
		return s.Hasher.check(ctx, a.requester(), password, hash, costs)
	})
}

// Succeed forgets the wrong passwords before and remembers the place.
func (s *Service) Succeed(tx *db.Tx, a *attempt) error {
	if err := tx.Throttle.Reset(a.counts[0].key); err != nil { // the name from here, or from this device
		return err
	}
	return s.remember(tx, a)
}

// remember makes the attempt's address and device known for the name.
func (s *Service) remember(tx *db.Tx, a *attempt) error {
	if a.device != "" {
		if err := tx.Throttle.AddPlace(a.key, a.device, s.Now()); err != nil {
			return err
		}
	}
	return tx.Throttle.AddPlace(a.key, a.from.Network(), s.Now())
}

// OtherRequest is the requester of a hash outside a log-in, for a logged-in player.
func OtherRequest(c model.Client, a model.AccountID) Requester {
	return Requester{quota.Payer{Account: string(a), Address: c.Address}, otherLane}
}

// MayHash counts a hash for an account that is logged in, since the hash costs the
// server more than the request costs the client. It is the last check before the hash.
func (s *Service) MayHash(w Requester) error {
	return s.Explain(s.Ledger.Spend(quota.PasswordChanges, w.Payer, 1))
}

// Anyone may: admins are not kept out by bans, which other admins make.
func Anyone(*db.Tx) error { return nil }
