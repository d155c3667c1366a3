package model

import "github.com/fogkeep/fogkeep/match/shared"

// AccountID names an account for ever: a UUIDv7 in text.
type AccountID = shared.AccountID

// LobbyID names a lobby for ever: a UUIDv7 in text.
type LobbyID string

// MatchID names a match for ever: a UUIDv7 in text.
type MatchID = shared.MatchID
