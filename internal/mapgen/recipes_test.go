package mapgen

import "github.com/fogkeep/fogkeep/match/grid"

// recipe is one seat's share of a map; every other seat's is its image.
// Coordinates are half tiles from the centre, u to the east, v to the south.
type recipe struct {
	id, name string
	side     int // tiles
	symmetry symmetry
	seed     uint32
	start    point
	plateaus []plateau
	ramps    []ramp
	water    []shape
	fords    []shape // what turns water into sand
	roads    [][]point
	riches   []point // resource places
	features []feature
	occluded grid.Occlusion
}

// feature is one of the map's features; middle lies between tiles along an even side. Each image has a link of its own.
type feature struct {
	typ    string
	middle point
	side   int // tiles
	link   uint8
	wet    bool // a bridge: there is water under it
}

// plateau is raised ground: step 1 is high ground, 2 higher.
type plateau struct {
	shape shape
	step  int
}

// ramp leads from low to high over one step; r is half its width.
type ramp struct {
	low, high point
	r         int
}

// recipes are the shipped maps.
var recipes = []recipe{
	{
		// A river between two banks, crossed by two fords; each bank has a
		// hill over each ford.
		id: "twin-fords", name: "Twin Fords", side: 64, symmetry: halfTurn, seed: 3,
		start: point{-41, -41},
		plateaus: []plateau{
			{disc(-42, -42, 22), 1},
			{disc(-52, 10, 10), 1},
			{disc(8, -34, 10), 1},
		},
		ramps: []ramp{
			{point{-10, -46}, point{-26, -46}, 5},
			{point{-46, -10}, point{-46, -26}, 5},
			{point{-34, 0}, point{-47, 7}, 4},
			{point{-4, -19}, point{5, -30}, 4},
		},
		water: []shape{
			line(7, point{-70, 70}, point{-34, 22}, point{0, 0}, point{34, -22}, point{70, -70}),
			disc(0, 0, 13),
		},
		fords: []shape{line(7, point{-44, 10}, point{-24, 34})},
		roads: [][]point{
			{{-10, -46}, {10, -50}, {24, -34}, {34, -22}},
			{{-46, -10}, {-36, 6}, {-34, 22}},
			{{34, -22}, {40, -10}, {46, 10}},
		},
		riches: []point{
			{-55, -45}, {-53, -53}, {-45, -55}, {-51, 11}, {9, -35}, {-19, -19}, {43, -55}, {-59, 33},
		},
	},
	{
		// A river with a ford in the middle, and on each side of it a sluice with a lever, a drawbridge, and a bridge that breaks.
		id: "water-gates", name: "Water Gates", side: 64, symmetry: halfTurn, seed: 7, occluded: grid.OcclusionLineOfSight,
		start: point{-51, -27},
		plateaus: []plateau{
			{disc(-52, -28, 23), 1},
			{disc(-28, 46, 11), 1},
		},
		ramps: []ramp{
			{point{-22, -28}, point{-38, -28}, 5},
			{point{-50, 4}, point{-50, -12}, 5},
			{point{-28, 24}, point{-28, 40}, 4},
		},
		water: []shape{line(7, point{0, -70}, point{0, 70})},
		fords: []shape{
			disc(0, 0, 11),
			line(4, point{-16, -30}, point{16, -30}),
			line(4, point{-16, -46}, point{16, -46}),
			line(2, point{-16, 20}, point{16, 20}),
		},
		roads: [][]point{
			{{-22, -28}, {-18, -6}, {-8, 0}},
			{{-22, -28}, {-18, -46}, {-6, -46}},
		},
		riches: []point{
			{-61, -27}, {-59, -33}, {-51, -39}, {-61, -21}, {-27, 47}, {-31, 45}, {-55, 41}, {-23, -55},
		},
		features: []feature{
			{typ: "drawbridge", middle: point{0, -30}, side: 4, wet: true},
			{typ: "bridge", middle: point{0, -46}, side: 4, wet: true},
			{typ: "flood-gate", middle: point{0, 20}, side: 2, link: 1},
			{typ: "lever", middle: point{-15, 23}, side: 1, link: 1},
			{typ: "medicine", middle: point{-17, 7}, side: 1},
			{typ: "crate", middle: point{-37, 57}, side: 1},
			{typ: "crate", middle: point{-39, -53}, side: 1},
			{typ: "tree", middle: point{-13, -37}, side: 1},
			{typ: "tree", middle: point{-15, -39}, side: 1},
			{typ: "tree", middle: point{-13, -53}, side: 1},
			{typ: "tree", middle: point{-17, -55}, side: 1},
			{typ: "tree", middle: point{-13, 11}, side: 1},
			{typ: "tree", middle: point{-15, 13}, side: 1},
			{typ: "tree", middle: point{-13, 33}, side: 1},
		},
	},
	{
		// Four bases in the corners, ridges that bend from each towards the
		// next, lakes behind them, and a two-step hill in the middle.
		id: "four-winds", name: "Four Winds", side: 96, symmetry: quarterTurns, seed: 11,
		start: point{-67, -67},
		plateaus: []plateau{
			{disc(-68, -68, 26), 1},
			{line(9, point{-22, -58}, point{-4, -55}, point{18, -52}), 1},
			{disc(0, 0, 29), 1},
			{disc(0, 0, 13), 2},
		},
		ramps: []ramp{
			{point{-40, -40}, point{-52, -52}, 6},
			{point{-72, -32}, point{-72, -46}, 5},
			{point{-37, 2}, point{-23, 2}, 5},
			{point{-18, -14}, point{-8, -6}, 4},
			{point{30, -40}, point{19, -50}, 4},
		},
		water: []shape{
			disc(20, -90, 17),
			line(6, point{20, -90}, point{34, -76}),
		},
		roads: [][]point{
			{{-40, -40}, {-36, -24}, {-42, 2}, {-24, 2}},
			{{-72, -32}, {-70, 0}, {-68, 24}, {-54, 42}, {-40, 40}},
		},
		riches: []point{
			{-83, -69}, {-81, -79}, {-69, -83}, {-59, -81}, {-5, -57}, {7, -55}, {-19, 15}, {-1, -7}, {39, -63}, {-47, -13},
		},
	},
	{
		// Eight bases on a ring, a lake with an island in the middle, reached
		// over four causeways; hills in the corners, ponds between the bases.
		id: "eight-crowns", name: "Eight Crowns", side: 160, symmetry: square, seed: 23,
		start: point{-121, -51},
		plateaus: []plateau{
			{disc(-124, -52, 25), 1},
			{disc(-124, -124, 22), 1},
			{disc(-130, -130, 10), 2},
			{line(8, point{-86, -6}, point{-80, -20}, point{-80, -30}), 1},
			{disc(-68, -68, 15), 1},
			{disc(0, 0, 33), 1},
			{disc(0, 0, 13), 2},
		},
		ramps: []ramp{
			{point{-92, -46}, point{-108, -50}, 6},
			{point{-118, -88}, point{-120, -72}, 5},
			{point{-110, -98}, point{-116, -112}, 5},
			{point{-118, -118}, point{-126, -126}, 4},
			{point{-48, -70}, point{-60, -70}, 4},
			{point{-41, 0}, point{-28, 0}, 6},
			{point{-16, -16}, point{-7, -7}, 4},
			{point{-100, -16}, point{-86, -18}, 4},
		},
		water: []shape{
			ring(0, 0, 42, 58),
			disc(-136, 0, 17),
			disc(-94, -94, 10),
		},
		fords: []shape{line(7, point{-66, 0}, point{-36, 0})},
		roads: [][]point{
			{{-92, -46}, {-72, -44}, {-64, -30}, {-64, 0}, {-36, 0}},
			{{-118, -88}, {-110, -98}},
		},
		riches: []point{
			{-139, -53}, {-137, -61}, {-131, -67}, {-135, -43}, {-137, -123}, {-83, -23}, {-71, -65}, {-21, -7}, {-105, -79}, {-113, -17},
		},
	},
}

// groundOf is what a tile is made of before roads, fords and cliffs: by height
// in steps and by a slow noise.
func groundOf(step, n int) grid.Terrain {
	switch {
	case step >= 2:
		if n > 40 {
			return grid.Ice
		}
		return grid.Rock
	case step == 1:
		if n > 45 {
			return grid.Rock
		}
		if n < -60 {
			return grid.Grass
		}
		return grid.Dirt
	default:
		if n > 80 {
			return grid.Dirt
		}
		return grid.Grass
	}
}
