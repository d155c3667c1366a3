package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match/shared"
)

type clusterStatusCmd struct {
	running
	JSON bool `name:"json" help:"Write one JSON object."`
}

func (c *clusterStatusCmd) Run(in *invocation) error {
	return c.asAdmin(in, func(to *client.Client) error {
		s, err := clusterStatus(in, to)
		if err != nil {
			return err
		}
		return answer(in, c.JSON, statusText(&s), s)
	})
}

func clusterStatus(in *invocation, to *client.Client) (s shared.ClusterStatus, err error) {
	return s, to.Call(in.Ctx, http.MethodGet, "/admin/api/cluster", nil, &s)
}

// statusText is a status for people.
func statusText(s *shared.ClusterStatus) string {
	var b strings.Builder
	fmt.Fprintf(&b, "as %s sees it: %d matches", s.Node, s.Matches)
	if s.LogAway {
		b.WriteString(", THE LOG DOES NOT ANSWER")
	}
	b.WriteString("\n\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tSTATE\tMATCHES\tPROCESSOR\tMEMORY\tBUILD\tURL")
	for _, n := range s.Nodes {
		state := n.State
		if n.Draining {
			state += ", draining"
		}
		if len(n.Taking) > 0 {
			state += fmt.Sprintf(", takes %d", len(n.Taking))
		}
		fmt.Fprintf(w, "%s\t%s\t%d of %d\t%d%%\t%d%%\t%s\t%s\n", n.Name, state, n.Matches, n.Most, n.Processor/10, n.Memory/10, n.Build, n.URL)
	}
	fmt.Fprintln(w, "\nLOG\tLEADER\tSERVERS")
	for _, x := range s.Streams {
		leader := x.Leader
		if leader == "" {
			leader = "(being elected)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", x.Name, leader, strings.Join(x.Servers, " "))
	}
	if len(s.Orphans) > 0 {
		fmt.Fprintln(w, "\nMATCH WITHOUT A NODE\tSINCE\tBEFORE\tNEXT")
	}
	for _, o := range s.Orphans {
		next := strings.Join(o.Nodes, ", ")
		if next == "" {
			next = "no live node has its build"
		}
		fmt.Fprintf(w, "%s\t%v\t%s\t%s\n", o.Match, (time.Duration(o.WaitingMs) * time.Millisecond).Round(100*time.Millisecond), o.Former, next)
	}
	w.Flush()
	return strings.TrimRight(b.String(), "\n")
}

type clusterDrainCmd struct {
	running
	Node string        `arg:"" help:"The node's name."`
	Off  bool          `help:"Let it take matches again."`
	Wait time.Duration `default:"1m" help:"Longest wait until it runs no match; 0: do not wait."`
	JSON bool          `name:"json" help:"Write one JSON object at the end."`
}

func (c *clusterDrainCmd) Run(in *invocation) error {
	return c.asAdmin(in, func(to *client.Client) error {
		path := "/admin/api/cluster/nodes/" + url.PathEscape(c.Node) + "/drain"
		if err := to.Call(in.Ctx, http.MethodPost, path, api.NodeDrain{On: !c.Off}, nil); err != nil {
			return err
		}
		if c.Off || c.Wait == 0 {
			return answer(in, c.JSON, c.Node+map[bool]string{true: " takes matches again", false: " drains"}[c.Off], map[string]any{"node": c.Node, "on": !c.Off})
		}
		progress := in.Stderr
		if c.JSON {
			progress = io.Discard
		}
		for end, shown := time.Now().Add(c.Wait), -1; ; {
			s, err := clusterStatus(in, to)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(s.Nodes, func(n shared.ClusterNode) bool { return n.Name == c.Node })
			if i < 0 || s.Nodes[i].Matches == 0 {
				return answer(in, c.JSON, c.Node+" runs no match", map[string]any{"node": c.Node, "left": 0})
			}
			if n := s.Nodes[i].Matches; n != shown {
				shown = n
				fmt.Fprintf(progress, "%s: %d matches are left\n", c.Node, n)
			}
			if time.Now().After(end) {
				return fmt.Errorf("%s still runs %d matches after %v: see fogkeep cluster status for the other nodes' room and builds", c.Node, shown, c.Wait)
			}
			select {
			case <-in.Ctx.Done():
				return in.Ctx.Err()
			case <-time.After(500 * time.Millisecond):
			}
		}
	})
}

type clusterMoveCmd struct {
	running
	Match string `arg:"" help:"The match's id."`
	Node  string `arg:"" optional:"" help:"The node to move it to. Default: the node with the most room."`
	JSON  bool   `name:"json" help:"Write one JSON object."`
}

func (c *clusterMoveCmd) Run(in *invocation) error {
	return c.asAdmin(in, func(to *client.Client) error {
		began := time.Now()
		path := "/admin/api/cluster/matches/" + url.PathEscape(c.Match) + "/move"
		if err := to.Call(in.Ctx, http.MethodPost, path, api.MatchMove{Node: c.Node}, nil); err != nil {
			return err
		}
		took := time.Since(began).Milliseconds()
		return answer(in, c.JSON, fmt.Sprintf("moved in %d ms", took), struct {
			Match string `json:"match"`
			Node  string `json:"node,omitempty"`
			Ms    int64  `json:"ms"`
		}{c.Match, c.Node, took})
	})
}
