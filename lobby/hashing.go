package lobby

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
)

// Hashing is the cost of passwords. One hash takes MemoryKiB and Passes times
// its time on one core; as many as Workers run at once, as many as Queue wait,
// and whoever comes then is told [Busy]. So a flood of log-ins costs bounded
// memory and leaves the other cores to the matches.
type Hashing struct {
	MemoryKiB uint32 // 19456 (19 MiB), as OWASP advises with two passes
	Passes    uint32 // 2
	Workers   int    // the cores, less one, at least one
	Queue     int    // 256
	Hook      func() // called for every hash done; for tests
}

func (h Hashing) withDefaults() Hashing {
	h.MemoryKiB = cmp.Or(h.MemoryKiB, 19456)
	h.Passes = cmp.Or(h.Passes, 2)
	h.Workers = cmp.Or(h.Workers, max(1, runtime.GOMAXPROCS(0)-1))
	h.Queue = cmp.Or(h.Queue, 256)
	return h
}

type hasher struct {
	params *argon2id.Params
	waits  chan struct{} // one token each who waits or works
	works  chan struct{} // one token each who works
	hook   func()
	decoy  func() string
}

func newHasher(h Hashing) *hasher {
	p := &argon2id.Params{Memory: h.MemoryKiB, Iterations: h.Passes, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	return &hasher{
		params: p,
		waits:  make(chan struct{}, h.Workers+h.Queue),
		works:  make(chan struct{}, h.Workers),
		hook:   h.Hook,
		// Checked in place of an account's hash where there is none. Nobody
		// knows the password, not even this process.
		decoy: sync.OnceValue(func() string {
			hash, err := argon2id.CreateHash(string(NewSecret()), p)
			if err != nil {
				panic(err) // only if the system has no randomness
			}
			return hash
		}),
	}
}

// enter waits for a worker's place.
func (h *hasher) enter(ctx context.Context) (leave func(), err error) {
	select {
	case h.waits <- struct{}{}:
	default:
		return nil, &Error{Code: Busy, RetryAfter: retryAfter(Busy)}
	}
	select {
	case h.works <- struct{}{}:
	case <-ctx.Done():
		<-h.waits
		return nil, ctx.Err()
	}
	if h.hook != nil {
		h.hook()
	}
	return func() { <-h.works; <-h.waits }, nil
}

// hash returns the PHC form of a password's hash.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	return argon2id.CreateHash(password, h.params)
}

// check compares a password with a hash. An empty hash costs the same as a
// wrong password and never matches.
func (h *hasher) check(ctx context.Context, password, hash string) (bool, error) {
	none := hash == ""
	if none {
		hash = h.decoy() // made before the queue: it is made once
	}
	leave, err := h.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, err
	}
	return ok && !none, nil
}

// stale reports whether a hash was made at another cost than today's.
func (h *hasher) stale(hash string) bool {
	p, _, _, err := argon2id.DecodeHash(hash)
	return err != nil || *p != *h.params
}

// Limits of passwords, in characters.
const (
	PasswordLenMin = 8
	PasswordLenMax = 128
)

//go:embed common.txt
var commonText string

// commonPasswords are the cores of the passwords that leaks show most often.
var commonPasswords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for sc := bufio.NewScanner(strings.NewReader(commonText)); sc.Scan(); {
		if word := strings.TrimSpace(sc.Text()); word != "" && word[0] != '#' {
			m[word] = true
		}
	}
	return m
})

// leet undoes the replacements that everyone knows.
var leet = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

// CheckPassword refuses what is too short, too long, or common: a password of
// the list, also with figures and marks around it or in place of letters; the
// account's own name; one character or one row of the keyboard again and
// again.
func CheckPassword(password, name, email string) error {
	n := utf8.RuneCountInString(password)
	if !utf8.ValidString(password) || n < PasswordLenMin || n > PasswordLenMax {
		return BadPassword
	}
	low := strings.ToLower(password)
	core := strings.Trim(low, "0123456789 .,;:!?@#$%^&*()_-+=~'\"<>/\\|")
	local, _, _ := strings.Cut(email, "@")
	for _, form := range []string{low, core, leet.Replace(low), leet.Replace(core)} {
		if commonPasswords()[form] || (form != "" && (form == LoginKey(name) || form == local)) {
			return CommonPassword
		}
	}
	if runOf(low) || periodOf(low) <= 4 {
		return CommonPassword
	}
	return nil
}

// runOf reports whether the text is a stretch of a row that fingers or
// counting follow, in either direction.
func runOf(s string) bool {
	const rows = "01234567890 abcdefghijklmnopqrstuvwxyz qwertyuiop asdfghjkl zxcvbnm 1qaz2wsx3edc4rfv5tgb6yhn qazwsxedcrfvtgb"
	reversed := []byte(rows)
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return strings.Contains(rows, s) || strings.Contains(string(reversed), s)
}

// periodOf returns the shortest piece, in bytes, of which the text is made by
// repetition.
func periodOf(s string) int {
	for p := 1; p < len(s); p++ {
		if s[p:] == s[:len(s)-p] {
			return p
		}
	}
	return len(s)
}
