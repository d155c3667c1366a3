package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// An announcement has one bound, in characters: what the API takes reaches the
// clients of matches whole, and what is longer reaches nobody.
func TestAnAnnouncementReachesTheMatchWhole(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error")
	play, admin := s.url(t, "play"), s.url(t, "admin")
	player := guest(t, play, "Ada")
	conn := player.open(player.ticket(player.playBot("twin-fords").ID))
	if w, closing := conn.welcome(); w == nil {
		t.Fatalf("no welcome but %v", closing)
	}
	chief := adminClient(t, admin, "admin", s.firstPassword(t))
	whole := strings.Repeat("☂", model.ChatLenMax) // three bytes each
	if code, out := chief.try("POST", "/admin/api/house/announce", map[string]any{"text": whole + "!"}, nil); code != 422 {
		t.Errorf("one character more: %d %v", code, out)
	}
	for _, text := range []string{strings.Repeat("x", 300), whole} {
		chief.must("POST", "/admin/api/house/announce", map[string]any{"text": text}, nil)
		heard := ""
		for range 2000 {
			for _, said := range conn.read().Said {
				heard = said.Text
			}
			if heard != "" {
				break
			}
		}
		if heard != text {
			t.Errorf("an announcement of %d characters comes as %d", utf8.RuneCountInString(text), utf8.RuneCountInString(heard))
		}
	}
}
