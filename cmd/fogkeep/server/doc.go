// Package server is a whole fogkeep server as a library: the lobby, the matches, the
// pages, and the listeners for players, admins, servers of a studio and metrics. `fogkeep
// serve` is this package with its flags. A studio's own main uses it too, with hooks.
//
//	Config (flags, variables, a program's own values, Hooks)
//	   │
//	  New ──► Server ──Run──► players' listener: pages, API, maps, sockets
//	                          admins' listener:  admin page, admins' API, inspector
//	                          services' listener: the API for servers of a studio
//	                          metrics' listener
//	                          nodes' listener: requests about matches that run here
//
// match and lobby do not import each other. Each declares the interfaces that it
// needs. The adapters here implement them: matchAdapter shows the match service to
// the lobby, and admissionAdapter shows the lobby to the match service. The package
// holds no rules of the game or of lobbies.
//
// With Config.Cluster the process is a node. Then the lobby uses clusterMatches, which
// asks the node that runs a match. peers is the way there, for its calls, for live views
// and, with a Config.NodeURL of any, for players' sockets. clusterAdmin shows match/cluster to
// admins; clusterHost shows the match service to match/cluster. Journals are in the
// cluster's journal store, keys are derived from the key in its folder. Without Config.Cluster
// these parts do not run.
//
// A Config is read by [New] and not kept by reference. Hooks are called from the
// server's goroutines, as each says. A Server is used from any goroutine. There is
// no default secret. An error names the flag or the variable that sets the value,
// and what to set; docs/reference/configuration.md has the table of all flags.
package server
