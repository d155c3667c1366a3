// Package mapfile opens map files of other programs, and its own library of
// maps, as one [grid.Map].
//
//	NAME.tmj, NAME.tmx (Tiled) ──────► tmj.go, tmx.go ──► tiled.go ─┐
//	  layers: CSV, base64, zlib, gzip, zstd, chunks                 │
//	folder with game.map, …         ─┐                              ├──► grid.Map ──► WriteTMJ
//	mp.wz#multiplay/maps/NAME (zip) ─┴► wz.go ──► levels.go ────────┘        │
//	                                                                         ▼
//	shipped/*.tmj (embedded), imported folder ───────────────► Library: by id, by hash
//
// It is not part of the pure core: it opens files and allocates as it reads, so
// no tick calls it. All functions may be called from any goroutine. A [Library]
// is read-only once it is made. The package never changes a file that it reads,
// never follows a reference in a file out of the map's own folder, and never
// changes a map after it has returned it. [Find] does follow the links that an
// operator puts into the maps folder, each folder once and a bounded number of
// folders.
//
// Files are not trusted. Each count is bounded before anything is allocated for
// it. Compressed data is read only up to the size that follows from the map's
// width and height. Each error is one line that names the file, the byte offset
// and the line. Both readers read their input as a stream of tokens instead of
// unmarshalling into structs: then every value has an offset, not only a syntax
// error.
//
// # Warzone 2100 maps
//
// The facts are read off the files of release 4.3.3. game.map has a texture
// and a height (0 to 255) for each tile; ttypes.ttp has the terrain type of each
// texture; struct.json, droid.json and feature.json place objects in units of
// 128 a tile. Start N is on the tile of the A0CommandCentre whose startpos is N, or else of the first other
// structure or else droid with this startpos. OilResource features are resource places. Heights belong to the
// tiles' north-west corners; a tile's height is the mean of its four corners, rounded down.
//
// # From heights to levels
//
// Sight and fire need a few levels, but heights are many and noisy. A plateau
// must stay in one piece whatever its absolute height is. Fixed bands do not
// ensure that. So the heights are clustered: they are cut into k ranges such
// that the sum of squared distances to the ranges' means, over all tiles that
// are not cliffs, is minimal (W. D. Fisher, "On Grouping for Maximum
// Homogeneity", JASA 53, 1958, exact by dynamic programming; known as natural
// breaks). k is the smallest number from 1 to [grid.LevelsMax] whose
// root-mean-square distance is at most [LevelSpread]. A cliff takes the level of
// the range that its height falls into. The arithmetic is in integers, so a file
// gives the same map and the same hash on every machine.
//
// # Tiled maps
//
// docs/reference/maps.md lists the properties, classes and objects that are read, and the errors. A
// map without starts can be opened and shown, but not played: [OpenPlayable] and the
// [Library] refuse it.
package mapfile
