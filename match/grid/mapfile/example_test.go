package mapfile_test

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// The shipped maps, without a folder of further ones.
func Example() {
	maps, refused, err := mapfile.OpenLibrary("")
	if err != nil || len(refused) > 0 {
		fmt.Println(err, refused)
		return
	}
	ford, _ := maps.ByID("twin-fords")
	fmt.Println(ford.Map.Name, ford.Map.W, "by", ford.Map.H, "for", len(ford.Map.Starts))
	// Output: Twin Fords 64 by 64 for 2
}
