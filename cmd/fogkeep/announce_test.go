package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fogkeep/fogkeep/lobby"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// An announcement has one bound, in characters: what the API takes reaches the
// clients of matches whole, and what is longer reaches nobody.
func TestAnAnnouncementReachesTheMatchWhole(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error")
	play, admin := s.url(t, "play"), s.url(t, "admin")
	must := func(url, token string, body any) map[string]any {
		t.Helper()
		code, _, out := post(t, url, token, body)
		if code/100 != 2 {
			t.Fatalf("%s: %d %v", url, code, out)
		}
		return out
	}
	player := must(play+"/api/guest", "", map[string]any{"bearer": true, "name": "Ada"})["token"].(string)
	id := must(play+"/api/play/bot", player, map[string]any{"map": "twin-fords"})["id"].(string)
	ticket := must(play+"/api/lobbies/"+id+"/ticket", player, map[string]any{})["ticket"].(string)
	conn, first := look(t, play, &pb.Hello{Ticket: ticket})
	if first.Welcome == nil {
		t.Fatalf("no welcome but %v", first)
	}
	password := regexp.MustCompile(`admin password +(\S{16,})`).FindStringSubmatch(s.out.String())
	chief := must(admin+"/admin/api/login", "", map[string]any{"name": "admin", "password": password[1], "bearer": true})["token"].(string)
	whole := strings.Repeat("☂", lobby.ChatLenMax) // three bytes each
	if code, _, out := post(t, admin+"/admin/api/house/announce", chief, map[string]any{"text": whole + "!"}); code != 422 {
		t.Errorf("one character more: %d %v", code, out)
	}
	for _, text := range []string{strings.Repeat("x", 300), whole} {
		must(admin+"/admin/api/house/announce", chief, map[string]any{"text": text})
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
