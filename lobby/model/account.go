package model

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/fogkeep/fogkeep/internal/plain"
)

// Account is a person, or a guest, who plays. Admins are kept apart: see
// [Admin].
type Account struct {
	ID           AccountID `json:"id"`
	Name         string    `json:"name"`                                           // as shown
	Guest        bool      `json:"guest" doc:"has no password yet"`                // nor an external identity; may become an account
	Email        string    `json:"email,omitempty" doc:"told to the player alone"` // optional; another name to log in by
	PasswordHash string    `json:"-"`                                              // argon2id in PHC form; empty for a guest, and for an account with external identities alone
	Created      time.Time `json:"-"`
	Deleted      time.Time `json:"-"` // zero while it lives
	Epoch        int64     `json:"-"` // see db.Accounts.EndEpoch; Save leaves it
}

// Record are an account's played matches.
type Record struct {
	Played int `json:"played"`
	Won    int `json:"won"`
	Lost   int `json:"lost"`
	Drawn  int `json:"drawn"`
}

// The sight that others have of an account. Each includes the one before.
const (
	ShareName    = "name"    // its name alone; it is on no leaderboard
	ShareProfile = "profile" // its record and its place on leaderboards
	ShareReplays = "replays" // replays of its matches that are in the catalogue
)

// Sharings lists the values of an account's sharing.
func Sharings() []string { return []string{ShareName, ShareProfile, ShareReplays} }

// Limits of names, in characters.
const (
	NameLenMin      = 2
	NameLenMax      = 24
	LobbyNameLenMax = 48
	EmailLenMax     = 254
)

// CleanName trims a name and squeezes its spaces, or refuses it: 2 to 24
// letters, digits, spaces, dots, dashes and underscores, with at least one
// letter or digit; see [plain.Name].
func CleanName(name string) (string, error) {
	if len(name) > 4*NameLenMax {
		return "", BadName
	}
	name, err := plain.Name(name)
	if err != nil {
		return "", Refuse(BadName, "%s", err)
	}
	if n := utf8.RuneCountInString(name); n < NameLenMin || n > NameLenMax {
		return "", BadName
	}
	return name, nil
}

// reserved are names by which a player could pass for the server or its operators.
var reserved = []string{
	"server", "system", "admin", "admins", "administrator", "moderator", "mod", "operator", "root", "staff", "support", "official", "fogkeep", "deleted", "bot", "guest",
}

// looksReserved reports whether a name looks like a reserved one.
func looksReserved(name string) bool {
	look, small := plain.Look(name), plain.LookSmall(name)
	return slices.ContainsFunc(reserved, func(r string) bool { return look == plain.Look(r) || small == plain.LookSmall(r) }) ||
		looksGiven(look, plain.Look) || looksGiven(small, plain.LookSmall)
}

// looksGiven reports whether a name looks like a name that the server gives: "Bot C",
// "Bot C2" or "Guest 1234".
func looksGiven(name string, look func(string) string) bool {
	digits := look("0123456789")
	digit := func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune(digits, r) }
	if number, ok := strings.CutPrefix(name, look(GuestBase)); ok && strings.TrimRightFunc(number, digit) == "" {
		return true
	}
	code, ok := strings.CutPrefix(name, look(botBase))
	letter := strings.TrimRightFunc(code, digit)
	for c := 'A'; ok && letter != "" && c <= 'Z'; c++ {
		if letter == look(string(c)) {
			return true
		}
	}
	return ok && letter == ""
}

// CleanPlayerName is CleanName without the reserved names, and all that look
// like them.
func CleanPlayerName(name string) (string, error) {
	name, err := CleanName(name)
	if err == nil && looksReserved(name) {
		err = Refuse(BadName, "this name is reserved, or looks like a reserved name")
	}
	return name, err
}

// CleanEmail lowers an address and checks its shape only: the server never sends to it. The empty one is allowed.
func CleanEmail(email string) (string, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	if email == "" {
		return "", nil
	}
	local, domain, ok := strings.Cut(email, "@")
	if !ok || local == "" || !strings.Contains(domain, ".") || len(email) > EmailLenMax ||
		!utf8.ValidString(email) || strings.ContainsFunc(email, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}) || strings.Contains(domain, "@") {
		return "", BadEmail
	}
	return email, nil
}

// LoginKey folds a typed name or email into the key under
// which the store looks it up. Names cannot hold an @, so the two kinds never
// meet.
func LoginKey(login string) string {
	// Characters that no name can hold would only upset a database.
	login = strings.ReplaceAll(strings.ToValidUTF8(login, "\uFFFD"), "\x00", "\uFFFD")
	return strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(login)), " "))
}

// CleanLine trims a line of text (lobby names, chat, reasons) and checks that it has 1
// to lenMax characters, all visible; see [plain.Line].
func CleanLine(code Code, field, text string, lenMax int) (string, error) {
	text = strings.TrimSpace(text)
	n := utf8.RuneCountInString(text)
	if n < 1 || n > lenMax || !plain.Line(text) {
		return "", RefuseField(code, field, "needs 1 to %d plain characters", lenMax)
	}
	return text, nil
}

// GuestBase begins the name of a guest who gave no name.
const GuestBase = "Guest"

// HashCost is the part of a hash that has its cost, such as "m=19456,t=2,p=1". It
// is "" for an empty hash.
func HashCost(hash string) string {
	parts := strings.Split(hash, "$") // "", "argon2id", version, cost, salt, key
	if len(parts) != 6 {
		return ""
	}
	return parts[3]
}

// NewID draws a UUIDv7: it sorts roughly by time, which indexes like; no code depends on it.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// botBase begins the names of bots.
const botBase = "Bot"
