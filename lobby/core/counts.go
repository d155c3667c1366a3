package core

import (
	"maps"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// SpendStored counts one use of a resource with stored counts, in every scope in which
// the resource has a limit.
func (s *Core) SpendStored(tx *db.Tx, r Resource, w model.Payer) error {
	row := s.Ledger.Limit(r)
	for scope := quota.Account; scope <= quota.Process; scope++ {
		key := storedKey(&row, scope, w)
		if key == "" {
			continue
		}
		n, ends, err := tx.Throttle.Count(key, 1, s.Now(), row.Per)
		if err != nil {
			return err
		}
		if int64(n) > row.Most[scope] {
			s.full.note(key, ends, s.Now())
			return s.Refusal(row, scope, ends)
		}
	}
	return nil
}

// Spent returns the refusal of [Core.SpendStored] if one is sure to come: the same
// count was full, and its window has not ended. A flood is refused by it
// without a transaction.
func (s *Core) Spent(r Resource, w model.Payer) error {
	row := s.Ledger.Limit(r)
	for scope := quota.Account; scope <= quota.Process; scope++ {
		if key := storedKey(&row, scope, w); key != "" {
			if ends, full := s.full.ends(key, s.Now()); full {
				return model.AsError(s.Refusal(row, scope, ends))
			}
		}
	}
	return nil
}

// storedKey returns the database key of a stored count; "" where there is no limit.
func storedKey(row *quota.Limit, scope quota.Scope, w quota.Payer) string {
	in := w.In(scope)
	if in == "" || row.Most[scope] == 0 {
		return ""
	}
	return string(row.Resource) + ":" + scope.String() + ":" + in
}

// fullMax bounds what [fullCounts] remembers.
const fullMax = 1 << 14

// fullCounts remembers which stored counts were full, and until when.
type fullCounts struct {
	mu    sync.Mutex
	until map[string]time.Time
}

func (f *fullCounts) note(key string, ends, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.until == nil {
		f.until = map[string]time.Time{}
	}
	if len(f.until) >= fullMax {
		maps.DeleteFunc(f.until, func(_ string, t time.Time) bool { return !t.After(now) })
	}
	if len(f.until) < fullMax { // else the database says it again
		f.until[key] = ends
	}
}

func (f *fullCounts) ends(key string, now time.Time) (time.Time, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, ok := f.until[key]
	if ok && !t.After(now) {
		delete(f.until, key)
		ok = false
	}
	return t, ok
}

// Refusal is one of a stored limit, whose window ends then.
func (s *Core) Refusal(row Limit, scope Scope, ends time.Time) error {
	return s.Ledger.Refuse(row, scope, ends.Sub(s.Now()))
}
