package meant

// slipsMost is how many slips of the pen are still taken for the same name.
const slipsMost = 2

// Name returns the known name closest to an unknown name; "": no name is close.
func Name(name string, known []string) (best string) {
	least := slipsMost + 1
	for _, k := range known {
		if n := Slips(name, k); n < least {
			best, least = k, n
		}
	}
	return best
}

// Slips is how many letters have to be put in, taken out or replaced to make
// one name another. Names longer than any of ours are not compared.
func Slips(a, b string) int {
	if len(a) > 2*len(b)+3 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			n := corner
			if a[i] != b[j] {
				n = 1 + min(corner, row[j], row[j+1])
			}
			corner, row[j+1] = row[j+1], n
		}
	}
	return row[len(b)]
}
