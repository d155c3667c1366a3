package model

import "time"

// Role is the rank of an admin's rights; each includes the roles before it.
type Role string

// The roles.
const (
	Viewer    Role = "viewer"    // looks at accounts, lobbies, matches, bans, audit
	Moderator Role = "moderator" // kicks, bans, ends sessions and matches, announces
	FullAdmin Role = "admin"     // drains, resets passwords, deletes accounts, makes admins
)

var roleRank = map[Role]int{Viewer: 1, Moderator: 2, FullAdmin: 3}

// Valid reports whether r is one of the roles.
func (r Role) Valid() bool { return roleRank[r] > 0 }

// Covers reports whether r may do what least may.
func (r Role) Covers(least Role) bool {
	return roleRank[r] > 0 && roleRank[least] > 0 && roleRank[r] >= roleRank[least]
}

// Admin is someone who runs the server. Admins are not players: they have their
// own table, listener, cookie and sessions.
type Admin struct {
	ID           string
	Name         string
	PasswordHash string
	Role         Role
	Fog          bool // may look through the fog of live matches; each look is audited
	Created      time.Time
	Disabled     time.Time // zero while it may log in
}

// ServerState is the state of the whole server.
type ServerState struct {
	Draining bool // no new matches; live ones finish
	Bans     int64
}
