package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/match/inspectserver"
)

var update = flag.Bool("update", false, "write the admins' OpenAPI document, or the table of docs/operate/monitoring.md; read the difference before you commit it")

// adminDocument is the path of the admins' document: beside the lobby's, since most of
// its API is the lobby's.
const adminDocument = "../../../lobby/api/openapi.admin.json"

// TestOpenAPIFile: the committed document of the admin listener, from which clients are
// generated, is the served document: the lobby's operations and the inspector's.
func TestOpenAPIFile(t *testing.T) {
	admin := api.NewAdmin(&lobby.Service{}, api.Config{})
	withInspector(admin, inspectserver.New(inspectserver.Config{}), nil, nil)
	want, err := json.MarshalIndent(admin.API().OpenAPI(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(adminDocument, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(adminDocument); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the server serves (%v): run go test ./cmd/fogkeep/server -run TestOpenAPIFile -update", adminDocument, err)
	}
}
