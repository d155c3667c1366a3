package sim

import "github.com/fogkeep/fogkeep/match/grid"

// sines holds sin(i/256 of a turn) * 2^14, rounded, for the first quarter.
var sines = [65]int32{
	0, 402, 804, 1205, 1606, 2006, 2404, 2801, 3196, 3590, 3981, 4370, 4756, 5139, 5520, 5897, 6270,
	6639, 7005, 7366, 7723, 8076, 8423, 8765, 9102, 9434, 9760, 10080, 10394, 10702, 11003, 11297, 11585,
	11866, 12140, 12406, 12665, 12916, 13160, 13395, 13623, 13842, 14053, 14256, 14449, 14635, 14811,
	14978, 15137, 15286, 15426, 15557, 15679, 15791, 15893, 15986, 16069, 16143, 16207, 16261, 16305,
	16340, 16364, 16379, 16384,
}

const sineShift = 14

func sine(f grid.Facing) int32 {
	i := int(f)
	switch {
	case i <= 64:
		return sines[i]
	case i <= 128:
		return sines[128-i]
	case i <= 192:
		return -sines[i-128]
	}
	return -sines[256-i]
}

// turned returns v rotated by f.
func turned(vx, vy int32, f grid.Facing) (int32, int32) {
	s, c := int64(sine(f)), int64(sine(f+64))
	return int32((int64(vx)*c - int64(vy)*s) >> sineShift), int32((int64(vx)*s + int64(vy)*c) >> sineShift)
}
