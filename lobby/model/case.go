package model

import "time"

// Case is about the conduct of one account in one match, in one lobby or in messages: the reports of players,
// the notes of moderators, one decision, and at most one appeal.
type Case struct {
	ID       int64     `json:"id"`
	Account  AccountID `json:"account" doc:"account id"`
	Name     string    `json:"name" doc:"of the account, today"`
	Match    MatchID   `json:"match,omitempty"`
	Lobby    LobbyID   `json:"lobby,omitempty"`
	State    CaseState `json:"state" enum:"open,closed,appealed"`
	Reports  int       `json:"reports" doc:"number of reports"`
	Outcome  Verdict   `json:"outcome,omitempty" enum:"nothing,mute,queue,ban" doc:"of the last decision"`
	Reason   string    `json:"reason,omitempty" doc:"of the last decision; the account reads it"`
	By       string    `json:"by,omitempty" doc:"the moderator who decided last"`
	Opened   time.Time `json:"opened"`
	Closed   time.Time `json:"closed,omitzero"`
	Appeal   string    `json:"appeal,omitempty" doc:"the account's words"`
	Appealed time.Time `json:"appealed,omitzero"`
}

// CaseState says whether a case waits for a moderator.
type CaseState string

// The states of cases: the first and the last wait for a decision.
const (
	CaseOpen     CaseState = "open"
	CaseClosed   CaseState = "closed"
	CaseAppealed CaseState = "appealed"
)

// Verdict is the outcome of a case.
type Verdict string

// The verdicts.
const (
	Nothing  Verdict = "nothing"
	Mute     Verdict = "mute"
	QueueBan Verdict = "queue"
	FullBan  Verdict = "ban"
	Keep     Verdict = "keep" // of an appeal: the earlier decision stands
)

// BanScope is the part of the server from which a ban keeps an account out; "": the whole server.
type BanScope string

// The scopes.
const (
	LobbyChat BanScope = "lobby"
	MatchChat BanScope = "match" // with pings
	Messages  BanScope = "messages"
	Search    BanScope = "queue"
)

// MuteScopes lists the scopes of a mute.
func MuteScopes() []BanScope { return []BanScope{LobbyChat, MatchChat, Messages} }

// Report is one player's report in a case.
type Report struct {
	Reporter AccountID    `json:"reporter,omitempty" doc:"account id; absent after its deletion"`
	Name     string       `json:"name,omitempty" doc:"of the reporter, today"`
	Tick     uint32       `json:"tick" doc:"of the match"`
	Team     int          `json:"team" doc:"of the reporter in the match; -1: the reporter watched all teams, or there is no match"`
	Kind     string       `json:"kind" enum:"cheating,chat,name,sabotage,leaving,other"`
	Text     string       `json:"text,omitempty"`
	Lines    []ReportLine `json:"lines" doc:"chat of the account, from the server's own record"`
	At       time.Time    `json:"at"`
}

// ReportKinds lists the reasons of reports.
func ReportKinds() []string {
	return []string{"cheating", "chat", "name", "sabotage", "leaving", "other"}
}

// ReportLine is a line of chat in a report.
type ReportLine struct {
	Tick uint32    `json:"tick,omitempty" doc:"of the match"`
	At   time.Time `json:"at,omitzero" doc:"outside of matches"`
	Text string    `json:"text"`
}

// The most lines of a report: the last ones before its tick.
const ReportLinesMax = 20

// OwnReport is a report as its reporter reads it. It says nothing of the outcome.
type OwnReport struct {
	Name   string    `json:"name" doc:"of the reported account, today"`
	Match  MatchID   `json:"match,omitempty"`
	Kind   string    `json:"kind"`
	Text   string    `json:"text,omitempty" doc:"the caller's words"`
	At     time.Time `json:"at"`
	Closed bool      `json:"closed" doc:"a moderator has closed the case"`
}

// Note is a moderator's note in a case.
type Note struct {
	By   string    `json:"by"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// CaseTextMax bounds the texts of cases, in characters.
const CaseTextMax = 1000
