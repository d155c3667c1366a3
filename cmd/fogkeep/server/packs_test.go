package server

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/pack"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

const frost = "../../../match/pack/testdata/frost"

// faulty is a pack with a misspelt name in its manifest.
func faulty(t *testing.T, file []byte) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, f := range in.File {
		b, err := fs.ReadFile(in, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == "pack.json" {
			b = bytes.Replace(b, []byte(`"title"`), []byte(`"titel"`), 1)
		}
		w, err := to.Create(f.Name)
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestPackInALobby: an admin uploads and publishes a pack; a lobby plays its ruleset on its map, the welcome and the replay's
// welcome have its hash, and clients get its files. A pack that is withdrawn is chosen no more, and its files stay.
func TestPackInALobby(t *testing.T) {
	t.Parallel()
	content := t.TempDir()
	p, err := pack.Open(frost, nil)
	if err != nil {
		t.Fatal(err)
	}
	built := filepath.Join(t.TempDir(), "frost.fogpack")
	if err := p.Write(built); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(content, "packs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(content, "packs", "torn.fogpack"), nil, 0o600); err != nil { // starts all the same
		t.Fatal(err)
	}
	s, cfg := running(t, func(c *Config) { c.ContentDir = content })
	ada := guestOf(t, s, "Adelaide")
	chief, err := client.New(s.Addresses().Admins)
	if err == nil {
		err = chief.AdminLogIn(t.Context(), "admin", s.FirstPassword())
	}
	if err != nil {
		t.Fatal(err)
	}
	admin := &person{t, chief, model.Account{}}
	// upload sends a file to the admins' API, and returns the status and the answer.
	upload := func(who *person, file []byte) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Addresses().Admins+"/admin/api/packs", bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = who.Headers()
		r.Header.Set("Content-Type", "application/octet-stream")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(b)
	}
	file, err := os.ReadFile(built)
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := upload(ada, file); status != http.StatusUnauthorized {
		t.Errorf("a player uploads a pack: %d", status)
	}
	var made struct{ Password string }
	admin.call("POST", "/admin/api/admins", map[string]any{"name": "viewer", "role": "moderator"}, &made, "")
	other, err := client.New(s.Addresses().Admins)
	if err == nil {
		err = other.AdminLogIn(t.Context(), "viewer", made.Password)
	}
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := upload(&person{t, other, model.Account{}}, file); status != http.StatusForbidden {
		t.Errorf("a moderator uploads a pack: %d", status)
	}
	onDisk := filepath.Join(content, "packs", p.FileName())
	if _, err := os.Stat(onDisk); err == nil {
		t.Error("the refused upload is in the folder")
	}
	if status, why := upload(admin, faulty(t, file)); status != http.StatusUnprocessableEntity || !strings.Contains(why, `"bad_pack"`) || !strings.Contains(why, `pack.json:3: /titel: unknown name`) {
		t.Errorf("a faulty pack: %d %s", status, why)
	}
	for range 2 { // the same again has no effect
		if status, added := upload(admin, file); status != http.StatusOK || !strings.Contains(added, p.Hash) {
			t.Fatalf("the upload: %d %s", status, added)
		}
	}
	if b, err := os.ReadFile(onDisk); err != nil || len(b) == 0 {
		t.Fatal("the upload is not in the folder: ", err)
	}
	scene := "/admin/api/packs/" + p.Hash + "/scenarios/"
	admin.call("POST", scene+"breath", nil, nil, model.NotFound)
	offered := func() (out []model.RulesetInfo) {
		t.Helper()
		list, err := ada.Rulesets(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(list, func(r model.RulesetInfo) bool { return r.Pack == "" })
	}
	wishes := map[string]any{"name": "Lake", "map": "frozen-lake", "limit": 2, "options": map[string]any{"ruleset": "frost", "countdownSeconds": 0, "replays": "participants"}}
	ada.call("POST", "/api/lobbies", wishes, nil, model.UnknownMap)
	admin.call("POST", "/admin/api/packs/"+strings.Repeat("0", 64)+"/publish", nil, nil, model.NotFound)
	if got := offered(); len(got) > 0 {
		t.Fatalf("before it is published: %+v", got)
	}
	admin.call("POST", "/admin/api/packs/"+p.Hash+"/publish", nil, nil, "")
	if got := offered(); len(got) != 1 || got[0].ID != "frost" || got[0].Pack != "Frostfall" || got[0].PackHash != p.Hash {
		t.Fatalf("published: %+v", got)
	}
	var listed struct{ Packs []api.Pack }
	admin.call("GET", "/admin/api/packs", nil, &listed, "")
	if len(listed.Packs) != 1 || listed.Packs[0].Published == nil || listed.Packs[0].By != "admin" || listed.Packs[0].Maps[0] != "Frozen Lake" {
		t.Errorf("listed: %+v", listed)
	}
	var raw json.RawMessage
	admin.call("GET", "/admin/api/audit", nil, &raw, "")
	if !strings.Contains(string(raw), `"pack.publish"`) || !strings.Contains(string(raw), `"pack.add"`) || !strings.Contains(string(raw), p.Hash) {
		t.Errorf("the audit: %s", raw)
	}

	if x := listed.Packs[0].Scenarios; !slices.Equal(x, []model.PackScenario{{ID: "breath", Name: "Breath of frost"}}) {
		t.Errorf("its scenarios: %+v", x)
	}
	var staged api.Opened
	admin.call("POST", scene+"breath", nil, &staged, "")
	if staged.Name != "Breath of frost" || staged.Map.Name != "Frozen Lake" || staged.Options.Ruleset != "frost" || !strings.Contains(staged.Link, string(staged.ID)) {
		t.Errorf("the scenario's lobby: %+v", staged)
	}
	admin.call("POST", scene+"none", nil, nil, model.NotFound)
	var l api.Lobby
	ada.call("POST", "/api/lobbies", wishes, &l, "")
	ada.call("POST", "/api/lobbies/"+l.ID+"/bots", map[string]any{"level": "easy"}, &l, "")
	if l, err = ada.Start(t.Context(), l.ID); err != nil {
		t.Fatal(err)
	}
	ticket, err := ada.Ticket(t.Context(), l.ID)
	if err != nil {
		t.Fatal(err)
	}
	c, w, why := ada.dial("/ws", ticket)
	if w == nil || w.PackHash != p.Hash || !slices.ContainsFunc(w.Types, func(x *pb.TypeInfo) bool { return x.Name == "golem" }) {
		t.Fatalf("the welcome: %s, %q", w.GetPackHash(), why)
	}
	c.Close()

	get := func(path string) (*http.Response, []byte) {
		t.Helper()
		r, err := http.Get(s.Addresses().Players + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r, b
	}
	r, b := get("/packs/" + p.Hash)
	var index struct {
		Types map[string]map[string]string
	}
	if err := json.Unmarshal(b, &index); err != nil || r.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Fatalf("the index: %s %v %v", b, r.Header, err)
	}
	model3d := index.Types["golem"]["model"]
	r, b = get("/packs/" + model3d)
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != model3d || r.Header.Get("Content-Type") != "model/gltf-binary" || !strings.Contains(r.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("the model: %d bytes, %v", len(b), r.Header)
	}
	if r, _ = get("/packs/" + strings.Repeat("0", 64)); r.StatusCode != http.StatusNotFound {
		t.Errorf("a hash of no file: %s", r.Status)
	}

	// A newer version comes into the folder, and the old one is gone from it: it stays for the match.
	newer := filepath.Join(content, "packs", "newer")
	if err := os.CopyFS(newer, os.DirFS(frost)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(newer, "README.md"), []byte("newer"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(onDisk); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	admin.call("GET", "/admin/api/packs", nil, &listed, "")
	if len(listed.Packs) != 2 || len(offered()) != 1 {
		t.Errorf("after the reload: %+v", listed)
	}
	admin.call("POST", "/admin/api/packs/frost/withdraw", nil, nil, "")
	admin.call("POST", "/admin/api/packs/frost/withdraw", nil, nil, model.NotFound)
	ada.call("POST", "/api/lobbies", map[string]any{"name": "x", "map": "frozen-lake"}, nil, model.UnknownMap)
	ada.call("POST", "/api/lobbies", map[string]any{"name": "x", "map": "twin-fords", "options": map[string]any{"ruleset": "frost"}}, nil, model.BadOption)
	if r, _ = get("/packs/" + p.Hash); r.StatusCode != http.StatusOK || len(offered()) > 0 {
		t.Errorf("withdrawn: %s, %v", r.Status, offered())
	}
	if len(s.Matches().Matches()) != 1 {
		t.Fatal("the match is gone")
	}
	over(t, s, &cfg, ada, l.MatchID)
	c, w, why = ada.dial("/ws/replay", ada.replayTicket(l.MatchID))
	if w == nil || w.PackHash != p.Hash {
		t.Fatalf("the replay's welcome: %s, %q", w.GetPackHash(), why)
	}
	c.Close()
}
