package account

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Hashing is the cost of password hashes. A changed cost holds from each player's next log-in. One hash takes MemoryKiB of memory, and
// Passes times its time on one core. Workers is the number of hashes computed at once; the others wait.
// quota.PasswordHashes bounds their number. So a flood of log-ins takes bounded memory and leaves the other cores to
// the matches.
type Hashing struct {
	MemoryKiB uint32            // 19456 (19 MiB), as OWASP advises with two passes
	Passes    uint32            // 2
	Workers   int               // the cores, less one, at least one
	Hook      func(cost string) // called before every hash, with its cost (see [model.HashCost]); for tests
}

func (h Hashing) withDefaults() Hashing {
	h.MemoryKiB = cmp.Or(h.MemoryKiB, 19456)
	h.Passes = cmp.Or(h.Passes, 2)
	h.Workers = cmp.Or(h.Workers, max(1, runtime.GOMAXPROCS(0)-1))
	return h
}

// hasher makes and compares password hashes. Callers do all cheap checks first.
type hasher struct {
	params *argon2id.Params
	cost   string
	line   *core.Line[chan struct{}] // for the workers
	ledger *quota.Ledger
	hook   func(string)
}

func newHasher(h Hashing, ledger *quota.Ledger) *hasher {
	p := &argon2id.Params{Memory: h.MemoryKiB, Iterations: h.Passes, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	hook := h.Hook
	if hook == nil {
		hook = func(string) {}
	}
	return &hasher{params: p, cost: stored(p), line: core.NewLine[chan struct{}](h.Workers, lanes), ledger: ledger, hook: hook}
}

// The lanes of the line for the workers. A flood of log-ins or one of other passwords
// makes the other wait for no more than one hash each.
const (
	knownLane = iota // admins, and accounts from where they logged in before
	otherLane        // passwords of lobbies, and other wishes of logged-in players
	logInLane        // log-ins, new accounts, reset links
	lanes
)

// Requester is a client that needs a password hash, and its lane in the queue.
type Requester struct {
	model.Payer
	lane int
}

// Known is a client that is served before all others.
func Known(w model.Payer) Requester { return Requester{w, knownLane} }

// enter takes a hash from the quota and waits for a free worker.
func (h *hasher) enter(ctx context.Context, a Requester) (leave func(), err error) {
	hold, err := h.ledger.Take(quota.PasswordHashes, a.Payer, 1)
	if err != nil {
		return nil, err
	}
	if err := h.wait(ctx, a); err != nil {
		hold.Release()
		return nil, err
	}
	return func() { h.done(); hold.Release() }, nil
}

// wait returns nil with a worker, which [hasher.done] gives back. In each lane the
// addresses take turns.
func (h *hasher) wait(ctx context.Context, a Requester) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	key := cmp.Or(a.In(quota.Address), a.Account)
	ready := make(chan struct{})
	if h.line.Enter(a.lane, key, ready) {
		return nil
	}
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
	}
	if !h.line.Leave(a.lane, key, ready) { // it had got the worker already
		h.done()
	}
	return ctx.Err()
}

// Waiting counts the requests that wait for a worker.
func (h *hasher) Waiting() int {
	n, _ := h.line.Waiting()
	return n
}

func (h *hasher) done() {
	if next, ok := h.line.Next(); ok {
		close(next)
	}
}

// HashPassword returns the PHC form of a password's hash.
func (h *hasher) HashPassword(ctx context.Context, a Requester, password string) (string, error) {
	leave, err := h.enter(ctx, a)
	if err != nil {
		return "", err
	}
	defer leave()
	h.hook(h.cost)
	return argon2id.CreateHash(password, h.params)
}

// check compares a password with an account's hash. costs are the costs of all
// accounts' hashes. check makes one hash of each cost, even if this account's hash has
// another cost. So its time does not tell whether the account's hash is of an old cost
// or today's, or whether the account exists. An empty hash never matches.
func (h *hasher) check(ctx context.Context, a Requester, password, hash string, costs []string) (bool, error) {
	cost := model.HashCost(hash)
	costs = append(slices.Clone(costs), h.cost)
	if cost != "" {
		costs = append(costs, cost)
	}
	slices.Sort(costs)
	return h.compare(ctx, a, password, hash, slices.Compact(costs))
}

// fits compares a password with a hash that is known to exist: a lobby's.
func (h *hasher) fits(ctx context.Context, a Requester, password, hash string) (bool, error) {
	return h.compare(ctx, a, password, hash, []string{model.HashCost(hash)})
}

func (h *hasher) compare(ctx context.Context, a Requester, password, hash string, costs []string) (ok bool, err error) {
	leave, err := h.enter(ctx, a)
	if err != nil {
		return false, err
	}
	defer leave()
	stored := model.HashCost(hash)
	for _, cost := range costs {
		p, known := parseCost(cost)
		switch {
		case cost == stored && stored != "":
			h.hook(cost)
			if ok, err = argon2id.ComparePasswordAndHash(password, hash); err != nil {
				return false, err
			}
		case known:
			h.hook(cost)
			if _, err := argon2id.CreateHash(password, p); err != nil {
				return false, err
			}
		}
	}
	return ok, nil
}

// stale reports whether a hash has a cost other than today's.
func (h *hasher) stale(hash string) bool { return model.HashCost(hash) != h.cost }

func stored(p *argon2id.Params) string {
	return fmt.Sprintf("m=%d,t=%d,p=%d", p.Memory, p.Iterations, p.Parallelism)
}

// parseCost parses a cost from the store. A cost that no server would have set is
// refused, so that it is never computed.
func parseCost(cost string) (*argon2id.Params, bool) {
	p := &argon2id.Params{SaltLength: 16, KeyLength: 32}
	n, err := fmt.Sscanf(cost, "m=%d,t=%d,p=%d", &p.Memory, &p.Iterations, &p.Parallelism)
	return p, err == nil && n == 3 && p.Memory <= 4<<20 && p.Iterations > 0 && p.Iterations <= 1000 && p.Parallelism > 0
}

// Limits of passwords, in characters.
const (
	PasswordLenMin = 8
	PasswordLenMax = 128
)

//go:embed common.txt
var commonText string

// commonPasswords are the base words of the passwords that are most frequent in
// leaks.
var commonPasswords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for sc := bufio.NewScanner(strings.NewReader(commonText)); sc.Scan(); {
		if word := strings.TrimSpace(sc.Text()); word != "" && word[0] != '#' {
			m[word] = true
		}
	}
	return m
})

// leet undoes common replacements of letters.
var leet = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

// CheckPassword refuses a password that is too short, too long, or common. Common
// are: a password of the list, also with digits and marks around it or in place of
// letters; the account's own name; one character, or one row of the keyboard,
// repeated.
func CheckPassword(password, name, email string) error {
	n := utf8.RuneCountInString(password)
	if !utf8.ValidString(password) || n < PasswordLenMin || n > PasswordLenMax {
		return model.BadPassword
	}
	low := strings.ToLower(password)
	middle := strings.Trim(low, "0123456789 .,;:!?@#$%^&*()_-+=~'\"<>/\\|")
	local, _, _ := strings.Cut(email, "@")
	for _, form := range []string{low, middle, leet.Replace(low), leet.Replace(middle)} {
		if commonPasswords()[form] || (form != "" && (form == model.LoginKey(name) || form == local)) {
			return model.CommonPassword
		}
	}
	if runOf(low) || periodOf(low) <= 4 {
		return model.CommonPassword
	}
	return nil
}

// runOf reports whether the text is a part of a keyboard row, the alphabet or the
// digits in order, in either direction.
func runOf(s string) bool {
	const rows = "01234567890 abcdefghijklmnopqrstuvwxyz qwertyuiop asdfghjkl zxcvbnm 1qaz2wsx3edc4rfv5tgb6yhn qazwsxedcrfvtgb"
	reversed := []byte(rows)
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return strings.Contains(rows, s) || strings.Contains(string(reversed), s)
}

// periodOf returns the length in bytes of the shortest piece whose repetition is the
// text.
func periodOf(s string) int {
	for p := 1; p < len(s); p++ {
		if s[p:] == s[:len(s)-p] {
			return p
		}
	}
	return len(s)
}
