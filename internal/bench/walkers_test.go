package bench

import (
	"strings"
	"testing"
)

// The walkers are those of everybody else who ran the workload: hashes that two
// independent programs agree on.
func TestWalkersAreTheReference(t *testing.T) {
	for _, c := range []struct {
		name        string
		side, teams int
		army        int
		wounds      bool
		want        map[int]string
	}{
		{"w1", 256, 8, 200, false, map[int]string{
			0:    "200:100ad514 200:40ed0bef 200:58f0df3a 200:eedd40b4 200:7beafbf1 200:69b9783c 200:ea0d95c4 200:97ff356c",
			1:    "200:7bb7d88d 200:3260d65c 200:eaf1efc2 200:f3b7d432 200:93115d4e 200:3e072649 200:45a0fefe 200:3cd6b3d9",
			100:  "200:23285580 200:d52c1832 200:a2f2aad8 200:79975786 200:be7349b1 200:e326e483 200:b7219d98 200:b8bee445",
			700:  "828:18aeec02 751:7a0734db 793:b7bb795a 727:f24b8e94 702:74750dac 732:1d1cd699 688:41697c61 725:765d4a38",
			1300: "942:e3c378c2 840:89f88fa9 897:7b997880 855:2de23110 917:de72f890 889:56f526e6 920:22b4ad88 887:4424a173",
		}},
		{"w2", 256, 8, 200, true, map[int]string{
			1:    "200:eb607da1 200:32505754 200:44944a42 200:854b86a2 200:40a878d6 200:e0692905 200:1ee92eaa 200:77042979",
			1300: "942:baee6a66 840:6e353589 897:2336149a 855:4452199e 917:6bdc126e 889:c56f94ec 920:d73c5a78 887:47266d91",
		}},
		{"w1-small", 64, 2, 50, false, map[int]string{
			0: "50:adea06d4 50:a93b6f25", 100: "59:c1768304 62:e1fce092", 700: "90:fc9b58ac 97:7a71383d", 1300: "97:e6d1f9dc 96:8ab4f347",
		}},
	} {
		w := NewWalkers(c.side, c.teams, c.army, c.wounds)
		for tick := 0; tick <= 1300; tick++ {
			if want, ok := c.want[tick]; ok {
				if got := strings.Join(w.Hashes(), " "); got != want {
					t.Fatalf("%s tick %d:\n got %s\nwant %s", c.name, tick, got, want)
				}
			}
			w.Step()
		}
	}
}
