package api

import (
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// TestAccountSettings: the settings of an account come back as written, only to that
// account.
func TestAccountSettings(t *testing.T) {
	w := newHarness(t, Config{})
	ada, bob := w.guest("Ada"), w.guest("Bob")
	if got := ada.must("GET", "/api/me/settings", nil, 200); strings.TrimSpace(got.raw) != "{}" {
		t.Fatalf("at first: %s", got.raw)
	}
	ada.must("PUT", "/api/me/settings", map[string]any{"volume": 0.25, "keys": map[string]any{"stop": []string{"KeyJ"}}}, 204)
	if got := ada.must("GET", "/api/me/settings", nil, 200); got.at("volume") != 0.25 || got.at("keys", "stop") == nil {
		t.Fatalf("later: %s", got.raw)
	}
	if got := bob.must("GET", "/api/me/settings", nil, 200); strings.TrimSpace(got.raw) != "{}" {
		t.Fatalf("of another: %s", got.raw)
	}
	ada.refused("PUT", "/api/me/settings", []string{"list"}, model.BadRequest)
	ada.refused("PUT", "/api/me/settings", nil, model.BadRequest)
	ada.refused("PUT", "/api/me/settings", map[string]any{"k": strings.Repeat("x", account.AccountSettingsMax)}, model.TooLarge)
	w.browser().refused("GET", "/api/me/settings", nil, model.Unauthenticated)
}
