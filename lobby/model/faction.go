package model

import (
	"math/rand/v2"
	"slices"
)

// FactionInfo describes a faction of a ruleset in a lobby.
type FactionInfo struct {
	Name  string `json:"name" doc:"the value of a seat's faction"`
	Text  string `json:"text,omitempty" doc:"about it, in the ruleset's language"`
	Color string `json:"color,omitempty" doc:"#rrggbb, for lists"`
}

// RandomFaction is the wish for a faction that the server draws. A seat stores it as "".
const RandomFaction = "random"

// FactionWish checks a wish for one of the factions of a lobby's ruleset, and returns it as a seat stores it.
func FactionWish(wish string, offered []FactionInfo) (string, error) {
	if wish == RandomFaction || wish == "" {
		return "", nil
	}
	if !hasFaction(offered, wish) {
		names := []string{RandomFaction}
		for _, f := range offered {
			names = append(names, f.Name)
		}
		return "", RefuseField(BadRequest, "faction", "%q is no faction of the lobby's ruleset: there are %v", CutText(wish, 40), names)
	}
	return wish, nil
}

func hasFaction(offered []FactionInfo, name string) bool {
	return slices.ContainsFunc(offered, func(f FactionInfo) bool { return f.Name == name })
}

// SetFaction gives a bot its faction, at the host's word.
func (l *Lobby) SetFaction(by AccountID, place int, faction string) error {
	if err := l.RequireHost(by, Open); err != nil {
		return err
	}
	i := l.SeatAt(place)
	switch {
	case i < 0:
		return NoSuchSeat
	case l.Seats[i].Kind != BotSeat:
		return Refuse(WrongState, "players choose their own factions")
	case l.From != nil:
		return errPlaysOn
	}
	l.Seats[i].Faction = faction
	l.Changed()
	return nil
}

// DrawFactions gives a faction to each seat that has none of those offered. The draw follows the seed of the match.
func (s *Spec) DrawFactions(offered []FactionInfo) {
	if s.From != nil {
		return // the match has its factions
	}
	for i := range s.Participants {
		if p := &s.Participants[i]; len(offered) > 0 && !hasFaction(offered, p.Faction) {
			p.Faction = offered[rand.New(rand.NewPCG(s.Seed, uint64(p.Start))).IntN(len(offered))].Name
		}
	}
}

// BotMatchRequest is a wish for a match against one bot.
type BotMatchRequest struct {
	Map     string   `json:"map,omitempty" maxLength:"200" doc:"map id; the first if absent"`
	Level   BotLevel `json:"level,omitempty" maxLength:"24" doc:"how well the bot plays: a level, or a level and a style, such as hard:rush; medium if absent"`
	Ruleset string   `json:"ruleset,omitempty" maxLength:"64" doc:"id of a ruleset; that of a new lobby if absent"`
	Faction string   `json:"faction,omitempty" maxLength:"64" doc:"the player's faction of the ruleset; random if absent"`
}
