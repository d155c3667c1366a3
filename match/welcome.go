package match

import (
	"math/rand/v2"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// serversMax is how many other servers a welcome names.
const serversMax = 4

// otherServers returns some of the servers that a client may ask where its match is:
// different ones for each client, to spread the questions.
func otherServers(known func() []string) []string {
	if known == nil {
		return nil
	}
	all := slices.Clone(known())
	if len(all) <= serversMax {
		return all
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:serversMax]
}

// welcomeTo returns the first message of a session. It writes the client's own fields
// into the match's welcome: a copy would cost more than the rest.
func (f *output) welcomeTo(st *seat) []byte {
	out := f.welcome
	out.Team, out.Slot, out.Resume = uint32(st.team), uint32(st.slot), f.seats.host.newToken(st.right)
	out.BytesPerS = uint32(f.feeds.Allowed(st.session.Receiver))
	out.Servers = otherServers(f.seats.host.servers)
	out.Spectator, out.DelayTicks = st.screen != nil, 0
	if st.screen != nil {
		out.DelayTicks = uint32(st.screen.delay)
	}
	b, err := proto.Marshal(&pb.ServerFrame{Welcome: out})
	if err != nil {
		panic("match: a welcome is plain data: " + err.Error())
	}
	return b
}
