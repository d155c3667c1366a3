package model

import "time"

// MatchEvents is a part of what happened in a match.
type MatchEvents struct {
	Events   []MatchEvent `json:"events"`
	Next     int          `json:"next" doc:"the after of the next question"`
	Until    uint32       `json:"until" doc:"the tick up to which events are known"`
	TickRate int          `json:"tickRate" doc:"ticks in a second of match time"`
	Delay    int          `json:"delaySeconds" doc:"how long events wait: as long as the match's spectators while it runs; 0 when it is over"`
	Complete bool         `json:"complete" doc:"the match is over, and these are its last events"`
}

// MatchEvent is something that happened in a match. Numbers of slots are start points.
type MatchEvent struct {
	Kind    string      `json:"kind" doc:"killed, captured, mode-value, expansion, contact, fight, surrendered, away, back, left, taken-over, out or ended"`
	Tick    uint32      `json:"tick" doc:"of a fight: its first"`
	End     uint32      `json:"end,omitempty" doc:"of a fight: its last tick"`
	Slot    *int        `json:"slot,omitempty" doc:"whose it was; of captured: whose it is now"`
	By      *int        `json:"by,omitempty" doc:"of killed: the player with the kill; of captured: the player who lost it"`
	Assists []int       `json:"assists,omitempty" doc:"of killed: the players who assisted"`
	Team    *int        `json:"team,omitempty" doc:"of the slot; of contact: the team that sees; of mode-value: the team; of ended: the winner, absent for a draw"`
	Other   *int        `json:"other,omitempty" doc:"of contact: the team that is seen"`
	At      *EventTile  `json:"at,omitempty"`
	Type    string      `json:"type,omitempty" doc:"name of the type in the ruleset"`
	Name    string      `json:"name,omitempty" doc:"of mode-value: the name of the value"`
	Value   int32       `json:"value,omitempty" doc:"its price; of mode-value: the value"`
	Losses  []EventLoss `json:"losses,omitempty" doc:"of a fight: the losses by player"`
	Reason  string      `json:"reason,omitempty" doc:"of ended: why"`
}

// MatchFeed is how far webhooks have been told the events of a match.
type MatchFeed struct {
	Match MatchID
	Told  int
	Due   time.Time // when a process reads on
}

// EventTile is a place in tiles.
type EventTile struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// EventLoss is a player's losses in a fight.
type EventLoss struct {
	Slot  int   `json:"slot"`
	Count int32 `json:"count" doc:"units and structures"`
	Value int32 `json:"value" doc:"their price"`
}
