package minimap_test

import (
	"bytes"
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/minimap"
)

// A map as a picture: two pixels a tile, nothing explored but one corner, one unit.
func Example() {
	maps, err := mapfile.Shipped()
	if err != nil {
		fmt.Println(err)
		return
	}
	ford, _ := maps.ByID("twin-fords")
	land, err := minimap.NewLandscape(ford.Map, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	sight := make([]minimap.Sight, ford.Map.W*ford.Map.H)
	for i := range 16 {
		sight[i] = minimap.Visible
	}
	img, err := land.Draw(sight, []minimap.Mark{{At: ford.Map.Starts[0].Center(), Color: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var png bytes.Buffer
	err = minimap.Encode(&png, img)
	fmt.Println(img.Bounds(), bytes.HasPrefix(png.Bytes(), []byte("\x89PNG")), err)
	// Output: (0,0)-(128,128) true <nil>
}
