package rulesfile_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
)

// A folder with one ruleset of one's own.
func Example() {
	dir, err := os.MkdirTemp("", "rules")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "duel.json"), []byte(duel), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	library, refused, err := rulesfile.OpenLibrary(dir)
	fmt.Println(library.IDs(), refused, err)
	// Output: [arsenal skirmish duel] [] <nil>
}
