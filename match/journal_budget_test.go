package match

import (
	"os"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// A budget bounds in the long run the bytes that a flooding player adds to the disk,
// whether its orders are taken or refused. A quiet player is answered as ever meanwhile,
// and the journal replays.
func TestAFloodCostsLittleDisk(t *testing.T) {
	const seconds, burst = 20, 32 << 10 // a budget of 32 KiB a minute
	for name, units := range map[string]func(c *pipeClient) []uint32{
		"refused orders": func(*pipeClient) []uint32 { return []uint32{1 << 24} },
		"long orders": func(c *pipeClient) []uint32 { // each is for an own unit: they are taken
			out := c.mine("scout")
			for len(out) < 2000 {
				out = append(out, 1<<24)
			}
			return out
		},
	} {
		t.Run(name, func(t *testing.T) {
			limits, err := quota.Defaults().Set([]string{"journal-bytes.account=32768"})
			if err != nil {
				t.Fatal(err)
			}
			spec := Spec{
				ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: 7, EveryTick: true,
				Seats: []SeatSpec{{Name: "a", Team: 0}, {Name: "b", Team: 1, Start: 1}},
			}
			ledger := quota.New(limits)
			a := startServiceHarness(t, spec, Config{Ledger: ledger})
			ledger.Now = a.clock.Now
			loud, calm := a.join(0), a.join(1)
			loud.read()
			loud.silent = true
			file := func() int64 {
				st, err := os.Stat(a.dir.Path(matchID))
				if err != nil {
					t.Fatal(err)
				}
				return st.Size()
			}
			drain := func(c *pipeClient) { // a frame a tick, unless its link seems narrow
				for len(c.pipe.(*link.PipeEnd).In) > 0 {
					c.read()
				}
			}
			before, seq := file(), uint32(0)
			for range seconds * 20 {
				for range 4 {
					f := &pb.ClientFrame{Applied: uint32(loud.Replica.Tick)}
					us := units(loud)
					for range min(64, 3500/len(us)) {
						seq++
						f.Orders = append(f.Orders, &pb.Order{Seq: seq, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: us})
					}
					b, err := proto.Marshal(f)
					if err != nil {
						t.Fatal(err)
					}
					select {
					case loud.pipe.(*link.PipeEnd).Out <- b:
					default:
					}
				}
				a.tick()
				drain(calm)
				drain(loud)
			}
			n := calm.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_STOP, Units: calm.mine("scout")})
			eventually.Holds(t, "the calm client is answered", func() bool {
				a.tick()
				drain(calm)
				drain(loud)
				return len(calm.answers) > 0
			})
			if x := calm.answers; len(x) != 1 || x[0].Seq != n || x[0].Code != 0 {
				t.Errorf("the calm client is answered %v", x)
			}
			wrote := file() - before
			// The budget and its growth, one tick beyond it, and the match's own hashes
			// and frames of records.
			most := int64(burst + burst*seconds/60 + 4*(2*16<<10) + seconds*100)
			if wrote > most {
				t.Errorf("%d bytes in %d s, want at most %d", wrote, seconds, most)
			}
			t.Logf("%d inputs, %d bytes in %d s", seq, wrote, seconds)
			a.end()
			replays(t, a.dir, matchID)
		})
	}
}
