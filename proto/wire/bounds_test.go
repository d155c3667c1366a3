package wire

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

func encoded(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func ptr[T any](x T) *T { return &x }

// TestClientMessagesComeThroughWhole: each field of a message has its place, and an optional field is absent unless
// it was sent.
func TestClientMessagesComeThroughWhole(t *testing.T) {
	order := func(kind pb.OrderKind, what uint32) *pb.Order {
		return &pb.Order{Seq: 8, Kind: kind, Units: []uint32{4, 2}, Target: 5, What: what, Queued: true, Together: true, Request: 6, To: &pb.Point{X: 7, Y: -8}}
	}
	want := func(kind orders.Kind, change func(*orders.Order)) ClientFrame {
		o := orders.Order{Kind: kind, Queued: true, Together: true, Units: []grid.Handle{4, 2}, Target: 5, HasPoint: true, Point: grid.Pos{X: 7, Y: -8}, Request: 6}
		if change != nil {
			change(&o)
		}
		return ClientFrame{Applied: 3, Inputs: []sim.Input{{Kind: sim.InputOrder, Seq: 8, AsOf: 3, Order: o}}}
	}
	for name, c := range map[string]struct {
		in   *pb.ClientFrame
		want ClientFrame
	}{
		"nothing":          {&pb.ClientFrame{}, ClientFrame{}},
		"a resync":         {&pb.ClientFrame{Resync: true}, ClientFrame{Resync: true}},
		"a hello":          {&pb.ClientFrame{Hello: &pb.Hello{Protocol: 1, Ticket: "t", Resume: "r", DerivesFog: true, Beside: true, Packed: true}}, ClientFrame{Hello: &Hello{1, "t", "r", true, true, true}}},
		"an empty hello":   {&pb.ClientFrame{Hello: &pb.Hello{}}, ClientFrame{Hello: &Hello{}}},
		"a pace":           {&pb.ClientFrame{Pace: &pb.Pace{BytesPerS: 9, FramesPerS: 4}}, ClientFrame{Pace: &Pace{9, 4}}},
		"a camera":         {&pb.ClientFrame{Camera: &pb.Camera{X: 3, Y: 4, Radius: 5}}, ClientFrame{Camera: &Camera{grid.Tile{X: 3, Y: 4}, 5}}},
		"an order":         {&pb.ClientFrame{Applied: 3, Orders: []*pb.Order{order(pb.OrderKind_ORDER_KIND_ATTACK, 99)}}, want(orders.Attack, nil)},
		"to train":         {&pb.ClientFrame{Applied: 3, Orders: []*pb.Order{order(pb.OrderKind_ORDER_KIND_TRAIN, orderTypeMax)}}, want(orders.Train, func(o *orders.Order) { o.Type = orderTypeMax })},
		"to build":         {&pb.ClientFrame{Applied: 3, Orders: []*pb.Order{order(pb.OrderKind_ORDER_KIND_BUILD, 9)}}, want(orders.Build, func(o *orders.Order) { o.Type = 9 })},
		"an ability":       {&pb.ClientFrame{Applied: 3, Orders: []*pb.Order{order(pb.OrderKind_ORDER_KIND_ABILITY, orderAbilityMax)}}, want(orders.UseAbility, func(o *orders.Order) { o.Ability = orderAbilityMax })},
		"to stop it":       {&pb.ClientFrame{Applied: 3, Orders: []*pb.Order{order(pb.OrderKind_ORDER_KIND_STOP_ABILITY, 9)}}, want(orders.StopAbility, func(o *orders.Order) { o.Ability = 9 })},
		"to cancel":        {&pb.ClientFrame{Applied: 3, Orders: []*pb.Order{order(pb.OrderKind_ORDER_KIND_CANCEL, orderItemMax)}}, want(orders.Cancel, func(o *orders.Order) { o.Item = orderItemMax })},
		"to surrender":     {&pb.ClientFrame{Orders: []*pb.Order{{Seq: 8, Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}}, ClientFrame{Inputs: []sim.Input{{Kind: sim.InputOrder, Seq: 8, Order: orders.Order{Kind: orders.Surrender}}}}},
		"an empty control": {&pb.ClientFrame{Replay: &pb.ReplayControl{}}, ClientFrame{Replay: &ReplayControl{}}},
		"a control": {&pb.ClientFrame{Replay: &pb.ReplayControl{Number: 7, Seek: proto.Uint32(1 << 31), Step: proto.Int32(-4), Percent: proto.Uint32(50), Paused: proto.Bool(false), Eyes: proto.Uint32(2)}},
			ClientFrame{Replay: &ReplayControl{7, ptr(grid.Tick(1 << 31)), ptr(int32(-4)), ptr(uint32(50)), ptr(false), ptr(grid.Team(1))}}},
		"all eyes":        {&pb.ClientFrame{Replay: &pb.ReplayControl{Eyes: proto.Uint32(0)}}, ClientFrame{Replay: &ReplayControl{Eyes: ptr(grid.NoTeam)}}},
		"nobody's eyes":   {&pb.ClientFrame{Replay: &pb.ReplayControl{Eyes: proto.Uint32(1 << 31)}}, ClientFrame{Replay: &ReplayControl{Eyes: ptr(grid.NoTeam)}}},
		"a line":          {&pb.ClientFrame{Says: []*pb.Say{{Seq: 2, All: true, Text: "hi"}}}, ClientFrame{Inputs: []sim.Input{{Kind: sim.InputChat, Seq: 2, All: true, Text: "hi"}}}},
		"the longest one": {&pb.ClientFrame{Says: []*pb.Say{{Seq: 2, Text: strings.Repeat("x", sim.TextBytesMax)}}}, ClientFrame{Inputs: []sim.Input{{Kind: sim.InputChat, Seq: 2, Text: strings.Repeat("x", sim.TextBytesMax)}}}},
		"longest credentials": {&pb.ClientFrame{Hello: &pb.Hello{Ticket: strings.Repeat("t", credentialMax), Resume: strings.Repeat("r", credentialMax)}},
			ClientFrame{Hello: &Hello{Ticket: strings.Repeat("t", credentialMax), Resume: strings.Repeat("r", credentialMax)}}},
		"most lines and pings": {&pb.ClientFrame{Says: slices.Repeat([]*pb.Say{{Seq: 2}}, saysMax), Pings: slices.Repeat([]*pb.MapPing{{Seq: 3}}, pingsMax)},
			ClientFrame{Inputs: append(slices.Repeat([]sim.Input{{Kind: sim.InputChat, Seq: 2}}, saysMax), slices.Repeat([]sim.Input{{Kind: sim.InputPing, Seq: 3}}, pingsMax)...)}},
	} {
		got, err := DecodeClient(encoded(t, c.in))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v\n got %+v\nwant %+v", name, err, got, c.want)
		}
	}
}

// TestEachCredentialIsBounded, and an invalid message is named.
func TestEachCredentialIsBounded(t *testing.T) {
	long := strings.Repeat("x", credentialMax+1)
	for name, b := range map[string][]byte{
		"a ticket":                  encoded(t, &pb.ClientFrame{Hello: &pb.Hello{Ticket: long}}),
		"a resume token":            encoded(t, &pb.ClientFrame{Hello: &pb.Hello{Resume: long}}),
		"a tag that is cut off":     {0x80},
		"a field that is cut off":   {0x0a, 5, 1},
		"a hello that is no hello":  {0x0a, 1, 0xff},
		"two hellos":                append(encoded(t, &pb.ClientFrame{Hello: &pb.Hello{Ticket: "a"}}), encoded(t, &pb.ClientFrame{Hello: &pb.Hello{Ticket: "b"}})...),
		"as many bytes as too many": make([]byte, ClientBytesMax+1),
	} {
		if f, err := DecodeClient(b); !errors.Is(err, ErrClient) || !reflect.DeepEqual(f, ClientFrame{}) {
			t.Errorf("%s: %v, %+v", name, err, f)
		}
	}
	// Padding of a later version brings a message to the limit and over it.
	pad := func(size int) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, 900, protowire.BytesType), make([]byte, size-4))
	}
	for size, ok := range map[int]bool{ClientBytesMax: true, ClientBytesMax + 1: false} {
		b := pad(size)
		if len(b) != size {
			t.Fatalf("%d bytes, want %d", len(b), size)
		}
		if _, err := DecodeClient(b); (err == nil) != ok {
			t.Errorf("a message of %d bytes: %v", size, err)
		} else if err != nil && !strings.Contains(err.Error(), "at most") {
			t.Errorf("a message of %d bytes is refused with %v", size, err)
		}
	}
}

// TestServerMessagesAreBounded takes each bound of a server's message, and one
// more.
func TestServerMessagesAreBounded(t *testing.T) {
	rows := func(n, of int) []uint32 {
		out := make([]uint32, n*of)
		for i := 0; i < len(out); i += of {
			out[i] = 1
		}
		return out
	}
	repeat := func(n int) []uint32 { return slices.Repeat([]uint32{1}, n) }
	own := func(o *pb.Own) *pb.ServerFrame { return &pb.ServerFrame{Own: o} }
	for name, c := range map[string]struct {
		good, bad *pb.ServerFrame
	}{
		"rows of leave":     {&pb.ServerFrame{Leave: repeat(rowsMax)}, &pb.ServerFrame{Leave: repeat(rowsMax + 1)}},
		"rows of destroyed": {&pb.ServerFrame{Destroyed: repeat(rowsMax)}, &pb.ServerFrame{Destroyed: repeat(rowsMax + 1)}},
		"rows of enter":     {&pb.ServerFrame{Enter: rows(rowsMax, 3)}, &pb.ServerFrame{Enter: rows(rowsMax+1, 3)}},
		"half an enter":     {&pb.ServerFrame{Enter: repeat(3)}, &pb.ServerFrame{Enter: repeat(4)}},
		"rows of motion":    {&pb.ServerFrame{Motion: rows(rowsMax, 3)}, &pb.ServerFrame{Motion: rows(rowsMax+1, 3)}},
		"half a motion":     {&pb.ServerFrame{Motion: repeat(3)}, &pb.ServerFrame{Motion: repeat(2)}},
		"half an exact":     {&pb.ServerFrame{Exact: repeat(3)}, &pb.ServerFrame{Exact: repeat(5)}},
		"half a value":      {&pb.ServerFrame{Health: repeat(2)}, &pb.ServerFrame{Health: repeat(3)}},
		"half a fire":       {&pb.ServerFrame{Fire: repeat(2)}, &pb.ServerFrame{Fire: repeat(1)}},
		"half an owner":     {&pb.ServerFrame{Owner: repeat(2)}, &pb.ServerFrame{Owner: repeat(1)}},
		"owners":            {&pb.ServerFrame{Owner: []uint32{1, grid.SlotsMax}}, &pb.ServerFrame{Owner: []uint32{1, grid.SlotsMax + 1}}},
		"sights":            {&pb.ServerFrame{Sights: []*pb.Sight{{X: grid.MapSideMax - 1, Y: grid.MapSideMax - 1}}}, &pb.ServerFrame{Sights: []*pb.Sight{{X: grid.MapSideMax}}}},
		"sights south":      {&pb.ServerFrame{}, &pb.ServerFrame{Sights: []*pb.Sight{{Y: grid.MapSideMax}}}},
		"players":           {&pb.ServerFrame{Players: []*pb.PlayerNote{{Slot: grid.SlotsMax - 1}}}, &pb.ServerFrame{Players: []*pb.PlayerNote{{Slot: grid.SlotsMax}}}},
		"values of a mode":  {&pb.ServerFrame{Players: []*pb.PlayerNote{{Values: repeat(8)}}}, &pb.ServerFrame{Players: []*pb.PlayerNote{{Values: repeat(9)}}}},
		"scores": {&pb.ServerFrame{Ended: &pb.Ended{Scores: slices.Repeat([]*pb.Score{{}}, grid.SlotsMax)}},
			&pb.ServerFrame{Ended: &pb.Ended{Scores: slices.Repeat([]*pb.Score{{}}, grid.SlotsMax+1)}}},
		"series": {&pb.ServerFrame{Ended: &pb.Ended{Series: slices.Repeat([]*pb.Series{{}}, grid.SlotsMax)}},
			&pb.ServerFrame{Ended: &pb.Ended{Series: slices.Repeat([]*pb.Series{{}}, grid.SlotsMax+1)}}},
		"points of a series": {&pb.ServerFrame{Ended: &pb.Ended{Series: []*pb.Series{{Army: repeat(grid.SeriesMax)}}}},
			&pb.ServerFrame{Ended: &pb.Ended{Series: []*pb.Series{{Army: repeat(grid.SeriesMax + 1)}}}}},
		"ghosts":          {&pb.ServerFrame{Ghosts: &pb.Ghosts{Handle: repeat(rowsMax)}}, &pb.ServerFrame{Ghosts: &pb.Ghosts{Handle: repeat(rowsMax + 1)}}},
		"ghosts gone":     {&pb.ServerFrame{Ghosts: &pb.Ghosts{Gone: repeat(rowsMax)}}, &pb.ServerFrame{Ghosts: &pb.Ghosts{Gone: repeat(rowsMax + 1)}}},
		"owner of ghosts": {&pb.ServerFrame{Ghosts: &pb.Ghosts{Handle: []uint32{1}, Owner: []uint32{grid.SlotsMax}}}, &pb.ServerFrame{Ghosts: &pb.Ghosts{Handle: []uint32{1}, Owner: []uint32{grid.SlotsMax + 1}}}},
		"events":          {&pb.ServerFrame{Events: &pb.Events{Kind: make([]pb.EventKind, rowsMax)}}, &pb.ServerFrame{Events: &pb.Events{Kind: make([]pb.EventKind, rowsMax+1)}}},
		"the last row":    {&pb.ServerFrame{Mask: &pb.MaskRows{Row: []uint32{grid.MapSideMax - 1}}}, &pb.ServerFrame{Mask: &pb.MaskRows{Row: []uint32{grid.MapSideMax}}}},
		"rows that add up": {&pb.ServerFrame{Mask: &pb.MaskRows{Row: []uint32{1000, grid.MapSideMax - 1001}}},
			&pb.ServerFrame{Mask: &pb.MaskRows{Row: []uint32{1000, grid.MapSideMax - 1000}}}},
		"a row far off": {&pb.ServerFrame{}, &pb.ServerFrame{Mask: &pb.MaskRows{Row: []uint32{1<<32 - 1}}}},
		"a row twice":   {&pb.ServerFrame{Mask: &pb.MaskRows{Row: []uint32{0, 1}}}, &pb.ServerFrame{Mask: &pb.MaskRows{Row: []uint32{0, 0}}}},
		"visible runs": {&pb.ServerFrame{Mask: &pb.MaskRows{Row: []uint32{5}, VisibleRuns: []uint32{2}, Visible: repeat(2)}},
			&pb.ServerFrame{Mask: &pb.MaskRows{Row: []uint32{5}, VisibleRuns: []uint32{3}, Visible: repeat(2)}}},
		"explored runs": {&pb.ServerFrame{Mask: &pb.MaskRows{Row: []uint32{5}, ExploredRuns: []uint32{2}, Explored: repeat(2)}},
			&pb.ServerFrame{Mask: &pb.MaskRows{Row: []uint32{5}, ExploredRuns: []uint32{3}, Explored: repeat(2)}}},
		"answers": {&pb.ServerFrame{Answers: []*pb.Answer{{Seq: 1, More: answersMax - 1}}}, &pb.ServerFrame{Answers: []*pb.Answer{{Seq: 1, More: answersMax}}}},
		"answers that add up": {&pb.ServerFrame{Answers: []*pb.Answer{{Seq: 1}, {Seq: 2, More: answersMax - 2}}},
			&pb.ServerFrame{Answers: []*pb.Answer{{Seq: 1}, {Seq: 2, More: answersMax - 1}}}},
		"a queue":                 {own(&pb.Own{Queues: []uint32{3, 0}}), own(&pb.Own{Queues: []uint32{3}})},
		"a queue that is cut off": {own(&pb.Own{Queues: []uint32{3, 1, 4, 9}}), own(&pb.Own{Queues: []uint32{3, 1, 4}})},
		"a rally that is cut off": {own(&pb.Own{Rallies: []uint32{3, 1}}), own(&pb.Own{Rallies: []uint32{3, 1, 1}})},
		"an energy that is cut":   {own(&pb.Own{Energy: []uint32{3, 1}}), own(&pb.Own{Energy: []uint32{3, 1, 1}})},
		"a task that is cut":      {own(&pb.Own{Tasks: []uint32{3, 0}}), own(&pb.Own{Tasks: []uint32{3}})},
		"a camera of a replay":    {&pb.ServerFrame{Replay: &pb.ReplayStatus{Cameras: []*pb.ReplayCamera{{Slot: grid.SlotsMax - 1}}}}, &pb.ServerFrame{Replay: &pb.ReplayStatus{Cameras: []*pb.ReplayCamera{{Slot: grid.SlotsMax}}}}},
		"what is made in a replay": {&pb.ServerFrame{Replay: &pb.ReplayStatus{Production: []*pb.ReplayProduction{{Slot: grid.SlotsMax - 1}}}},
			&pb.ServerFrame{Replay: &pb.ReplayStatus{Production: []*pb.ReplayProduction{{Slot: grid.SlotsMax}}}}},
		"series of a timeline": {&pb.ServerFrame{Timeline: &pb.ReplayTimeline{Series: []*pb.ReplaySeries{{Slot: grid.SlotsMax - 1, Held: repeat(timelineRowsMax)}}}},
			&pb.ServerFrame{Timeline: &pb.ReplayTimeline{Series: []*pb.ReplaySeries{{Held: repeat(timelineRowsMax + 1)}}}}},
		"who has a series": {&pb.ServerFrame{Timeline: &pb.ReplayTimeline{}}, &pb.ServerFrame{Timeline: &pb.ReplayTimeline{Series: []*pb.ReplaySeries{{Slot: grid.SlotsMax}}}}},
		"events of a timeline": {&pb.ServerFrame{Timeline: &pb.ReplayTimeline{Events: slices.Repeat([]*pb.ReplayEvent{{}}, timelineRowsMax)}},
			&pb.ServerFrame{Timeline: &pb.ReplayTimeline{Events: slices.Repeat([]*pb.ReplayEvent{{}}, timelineRowsMax+1)}}},
		"who an event is of":       {&pb.ServerFrame{Timeline: &pb.ReplayTimeline{Events: []*pb.ReplayEvent{{Slot: grid.SlotsMax}}}}, &pb.ServerFrame{Timeline: &pb.ReplayTimeline{Events: []*pb.ReplayEvent{{Slot: grid.SlotsMax + 1}}}}},
		"a task without its place": {own(&pb.Own{Tasks: []uint32{3, taskTo, 9}}), own(&pb.Own{Tasks: []uint32{3, taskTo}})},
	} {
		for m, ok := range map[*pb.ServerFrame]bool{c.good: true, c.bad: false} {
			dec := Decoder{kinds: testKinds}
			f, err := dec.Decode(encoded(t, m))
			if (err == nil) != ok || err != nil && !errors.Is(err, ErrServer) || (f == nil) == ok {
				t.Errorf("%s: read is %v, want %v: %v", name, f != nil, ok, err)
			}
		}
	}
}

// TestWelcomesAreBounded: a welcome says how kinds are numbered, so one without
// players or types, or with more than there can be, is refused.
func TestWelcomesAreBounded(t *testing.T) {
	welcome := func(types, players int) *pb.Welcome {
		return &pb.Welcome{Types: slices.Repeat([]*pb.TypeInfo{{}}, types), Players: slices.Repeat([]*pb.Player{{}}, players)}
	}
	for _, c := range []struct {
		types, players int
		ok             bool
	}{
		{1, 1, true}, {0, 1, false}, {1, 0, false}, {0, 0, false},
		{1, grid.SlotsMax, true}, {1, grid.SlotsMax + 1, false}, {1 << 16, 1, true}, {1<<16 + 1, 1, false},
	} {
		var dec Decoder
		f, err := dec.Decode(encoded(t, &pb.ServerFrame{Welcome: welcome(c.types, c.players)}))
		if (err == nil) != c.ok || c.ok && (f.Welcome == nil || dec.kinds != Kinds{Players: c.players, Types: c.types}) {
			t.Errorf("%d types, %d players: %v", c.types, c.players, err)
		}
		_, err = dec.Decode(encoded(t, &pb.ServerFrame{Span: 2}))
		if (err == nil) != c.ok {
			t.Errorf("%d types, %d players: the frame after it: %v", c.types, c.players, err)
		}
	}
	// An invalid frame is refused, with any other content.
	broken := []uint32{1}
	for name, m := range map[string]*pb.ServerFrame{
		"a welcome":         {Welcome: welcome(1, 1), Enter: broken},
		"a waiting":         {Waiting: &pb.Waiting{}, Enter: broken},
		"a closing":         {Closing: &pb.Closing{}, Enter: broken},
		"a replay's status": {Replay: &pb.ReplayStatus{}, Enter: broken},
		"a timeline":        {Timeline: &pb.ReplayTimeline{}, Enter: broken},
	} {
		var dec Decoder
		if f, err := dec.Decode(encoded(t, m)); err != nil || f.Diff.Span != 0 {
			t.Errorf("%s: %v, %+v", name, err, f)
		}
	}
	var dec Decoder
	for _, b := range [][]byte{make([]byte, ServerBytesMax+1), {0x80}} {
		if f, err := dec.Decode(b); !errors.Is(err, ErrServer) || f != nil {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	}
}

// TestTheEndComesThrough with winners, scores and series.
func TestTheEndComesThrough(t *testing.T) {
	dec := Decoder{kinds: testKinds}
	want := &pb.Ended{Winners: []uint32{1, 0}, Reason: "last-team", Scores: []*pb.Score{{Kills: 1, Losses: 2, Made: 3}, {}},
		SeriesTicks: 200, Series: []*pb.Series{{Gathered: []uint32{0, 8}, Army: []uint32{300, 225}}, {}}}
	f, err := dec.Decode(encoded(t, &pb.ServerFrame{Ended: want}))
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(f.Ended, want) {
		t.Errorf("got %+v, want %+v", f.Ended, want)
	}
}

// TestOwnersComeThrough: no owner, the first slot and the last.
func TestOwnersComeThrough(t *testing.T) {
	dec := Decoder{kinds: testKinds}
	f, err := dec.Decode(encoded(t, &pb.ServerFrame{Owner: []uint32{3, 0, 1, 1, 1, grid.SlotsMax}, Ghosts: &pb.Ghosts{Handle: []uint32{3, 1, 1}, Owner: []uint32{0, 1, grid.SlotsMax}}}))
	if err != nil {
		t.Fatal(err)
	}
	want := []view.OwnerRow{{Handle: 3, Owner: grid.NoSlot}, {Handle: 4, Owner: 0}, {Handle: 5, Owner: grid.SlotsMax - 1}}
	if !slices.Equal(f.Diff.Owners, want) {
		t.Errorf("owners %+v, want %+v", f.Diff.Owners, want)
	}
	for i, g := range f.Diff.Ghosts {
		if g.Handle != want[i].Handle || g.Owner != want[i].Owner {
			t.Errorf("ghost %+v, want handle and owner %+v", g, want[i])
		}
	}
}

// TestOneOfThePopulations is enough for both: the other is 0.
func TestOneOfThePopulations(t *testing.T) {
	for name, o := range map[string]*pb.Own{"used": {Population: proto.Uint32(4)}, "most": {PopulationMax: proto.Uint32(4)}, "neither": {}} {
		d, err := decodeOwn(o)
		if err != nil || d.HasPopulation != (name != "neither") || d.Population != o.GetPopulation() || d.PopulationMax != o.GetPopulationMax() {
			t.Errorf("%s: %v, %+v", name, err, d)
		}
	}
}

// TestRunsOfAnswers: numbers that follow each other with the same answer are one
// answer with a count. One that names units is never part of a run.
func TestRunsOfAnswers(t *testing.T) {
	left := []orders.LeftOut{{Unit: 3, Code: orders.BadTarget}}
	all := []sim.Answer{{Seq: 1}, {Seq: 2}, {Seq: 3}, {Seq: 5}, {Seq: 6, Code: orders.BadTarget}, {Seq: 7, Left: left}, {Seq: 8}, {Seq: 9, Left: left}, {Seq: 10}}
	var run Answers
	var b []byte
	for i := range all {
		b = run.Append(b, &all[i])
	}
	b = run.Flush(b)
	var m pb.ServerFrame
	if err := proto.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	var seqs, more []uint32
	for _, a := range m.Answers {
		seqs, more = append(seqs, a.Seq), append(more, a.More)
	}
	if !slices.Equal(seqs, []uint32{1, 5, 6, 7, 8, 9, 10}) || !slices.Equal(more, []uint32{2, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("numbers %v, more %v", seqs, more)
	}
	dec := Decoder{kinds: testKinds}
	f, err := dec.Decode(b)
	if err != nil || len(f.Answers) != len(all) {
		t.Fatalf("%v, %d answers", err, len(f.Answers))
	}
	for i, a := range f.Answers {
		if a.Seq != all[i].Seq || a.Code != uint32(all[i].Code) || len(a.LeftOut) != len(all[i].Left) || a.More != 0 {
			t.Errorf("answer %d is %+v, want %+v", i, a, all[i])
		}
	}
}

// TestPlacesOfTasksAreToldOnce: a group's place is sent with the first, and the
// rows after it refer to it.
func TestPlacesOfTasksAreToldOnce(t *testing.T) {
	rows := []view.TaskRow{
		{Handle: 1, Doing: uint8(orders.Move), HasTo: true, Cell: 0}, {Handle: 2, Doing: uint8(orders.Move), HasTo: true, Cell: 0},
		{Handle: 4, Doing: uint8(orders.Stop)}, {Handle: 5, Doing: uint8(orders.Patrol), HasTo: true, Cell: 0}, {Handle: 6, Doing: uint8(orders.Patrol), HasTo: true, Cell: 8},
	}
	b := AppendOwn(nil, &view.OwnerDiff{Tasks: rows})
	var m pb.ServerFrame
	if err := proto.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	kind := func(k pb.OrderKind, place uint32) uint32 { return uint32(k)*taskPlaces + place }
	move, stop, patrol := pb.OrderKind_ORDER_KIND_MOVE, pb.OrderKind_ORDER_KIND_STOP, pb.OrderKind_ORDER_KIND_PATROL
	want := []uint32{1, kind(move, taskTo), 0, 1, kind(move, taskAlong), 2, kind(stop, taskNowhere), 1, kind(patrol, taskAlong), 1, kind(patrol, taskTo), 8}
	if !slices.Equal(m.Own.Tasks, want) {
		t.Errorf("sent as %v, want %v", m.Own.Tasks, want)
	}
	if d, err := decodeOwn(m.Own); err != nil || !slices.Equal(d.Tasks, rows) {
		t.Errorf("%v: comes out as %+v", err, d)
	}
}

// TestEmptyPartsTakeNoBytes: empty parts take no bytes, and places at 0 are left
// out.
func TestEmptyPartsTakeNoBytes(t *testing.T) {
	if b := AppendOwn(nil, &view.OwnerDiff{}); len(b) != 0 {
		t.Errorf("an empty own part takes %d bytes", len(b))
	}
	if b := appendPoint(nil, 3, grid.Pos{}); len(b) != 2 {
		t.Errorf("a place at 0,0 takes %d bytes, want those of an empty message", len(b))
	}
	if k := WireKind(orders.Kind(orders.Kinds)); k != pb.OrderKind_ORDER_KIND_UNSPECIFIED {
		t.Errorf("a kind past the last is sent as %v", k)
	}
}

// TestSizesAddUpAndEmpty: adding keeps bytes and rows of each part and class, and
// a cleared count is as a new one.
func TestSizesAddUpAndEmpty(t *testing.T) {
	var a, b Sizes
	enter, own := PartNamed("enter"), PartNamed("own")
	a.add(enter, pb.TypeClass_TYPE_CLASS_UNIT, 5, 1)
	b.add(enter, pb.TypeClass_TYPE_CLASS_UNIT, 7, 2)
	b.add(own, 0, 9, 3)
	a.Add(&b)
	want := map[Part]Count{enter: {12, 3}, own: {9, 3}}
	a.Each(func(p Part, c pb.TypeClass, n Count) {
		if want[p] != n || (c == 0) != (p == own) {
			t.Errorf("%v, class %v: %+v, want %+v", p, c, n, want[p])
		}
		delete(want, p)
	})
	if len(want) > 0 {
		t.Errorf("not told: %v", want)
	}
	if a.Clear(); a != (Sizes{}) {
		t.Error("a cleared count is not empty")
	}
}

// TestOddBytesCountOnce: fields of later versions, fields that are cut off and rows
// of handles that no match has count with all their bytes.
func TestOddBytesCountOnce(t *testing.T) {
	far := protowire.AppendTag(nil, fieldsMax, protowire.VarintType)
	far = protowire.AppendVarint(far, 1)
	row := protowire.AppendVarint(nil, namedMax*uint64(testKinds.Count()))
	row = append(row, 1, 1)
	enter := protowire.AppendBytes(protowire.AppendTag(nil, fEnter, protowire.BytesType), row)
	for name, b := range map[string][]byte{
		"a later field":     far,
		"a tag cut off":     {0x80},
		"a field cut off":   {fEnter<<3 | 2, 5, 1},
		"an empty field":    {fEnter<<3 | 2, 0},
		"a number cut off":  {fMotion<<3 | 2, 1, 0x80},
		"a handle too far":  enter,
		"half a row":        {fMotion<<3 | 2, 1, 4},
		"a number per byte": {fLeave<<3 | 2, 3, 1, 2, 3},
	} {
		var to Sizes
		m := NewMeter(testKinds, testClasses())
		m.Measure(b, &to)
		bytes, rows := 0, 0
		to.Each(func(_ Part, _ pb.TypeClass, n Count) { bytes, rows = bytes+int(n.Bytes), rows+int(n.Rows) })
		wantRows := 1
		if name == "a number per byte" {
			wantRows = 3
		}
		if bytes != len(b) || rows != wantRows {
			t.Errorf("%s: %d bytes in %d rows, want %d in %d", name, bytes, rows, len(b), wantRows)
		}
		if len(m.named) > namedMax {
			t.Errorf("%s: the meter keeps %d classes", name, len(m.named))
		}
		to.Clear()
		MeasureClient(b, &to)
		bytes = 0
		to.Each(func(_ Part, _ pb.TypeClass, n Count) { bytes += int(n.Bytes) })
		if bytes != len(b) {
			t.Errorf("%s, from a client: %d bytes, want %d", name, bytes, len(b))
		}
	}
}
