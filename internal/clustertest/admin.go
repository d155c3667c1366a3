package clustertest

import (
	"context"
	"errors"
	"net/http"
	"os"
	"regexp"
	"strings"

	lobbyclient "github.com/fogkeep/fogkeep/lobby/client"
)

var firstPassword = regexp.MustCompile(`admin password +in (.+)`)

// Admin returns a client of a node that is logged in as the first admin, whose password
// one of the nodes wrote to a file.
func (c *Cluster) Admin(ctx context.Context, at *Node) (*lobbyclient.Client, error) {
	for _, n := range c.Nodes {
		if m := firstPassword.FindStringSubmatch(n.Output(16 << 20)); m != nil {
			password, err := os.ReadFile(m[1])
			if err != nil {
				return nil, err
			}
			admin, err := lobbyclient.New(at.AdminURL)
			if err != nil {
				return nil, err
			}
			return admin, admin.AdminLogIn(ctx, "admin", strings.TrimSpace(string(password)))
		}
	}
	return nil, errors.New("no node has written the first admin's password")
}

// Move moves a match to a node, by the API of some node.
func (c *Cluster) Move(ctx context.Context, m *Match, to *Node) error {
	if c.admin == nil {
		admin, err := c.Admin(ctx, c.Nodes[0])
		if err != nil {
			return err
		}
		c.admin = admin
	}
	return c.admin.Call(ctx, http.MethodPost, "/admin/api/cluster/matches/"+m.ID+"/move", map[string]string{"node": to.Name}, nil)
}
