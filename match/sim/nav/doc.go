// Package nav finds paths over the ground as a team knows it.
//
//	map ──► Base ──► Ground of a team ◄── Set, Touch: structures, obstacles
//	          │         │
//	          └─────────┴── cluster graph: the map's, and what is otherwise for the team
//	                    │
//	Request: from, to, body ──► Finder.Find ──► legs of a path, or "ask again"
//
// A [Ground] is the map and the obstacles that one team knows. It answers whether two
// places are connected (Reachable), and whether a straight line is free (ClearLine). A
// [Finder] finds paths for the units of a match. It takes the cheapest means that suffices:
//
//  1. the straight line, if no obstacle that the team knows is in the way;
//  2. a short A* search (near.go), if the goal is near;
//  3. a flow field (field.go): it leads from every tile to one goal, and all units
//     of a player that go there share it. It is the shortest way, and takes several
//     ticks to grow. A unit waits for it a few ticks at most;
//  4. a route (route.go): an A* search over the cluster graph, at once and for one unit.
//     Its first part is searched out tile by tile, and walked. Then the unit asks again.
//     On a large map a unit that goes alone walks by routes only.
//
// The cluster graph has two levels (Botea, Müller, Schaeffer, "Near optimal hierarchical
// path-finding", 2004): clusters of 16 by 16 tiles with crossings to their neighbours
// (clusters.go), and districts of 4 by 4 clusters (districts.go). Landmarks (landmarks.go;
// Goldberg, Harrelson, "Computing the shortest path: A* search meets graph theory", 2005) keep the
// search from looking into the wrong corridors of a maze. The map's graph is made once, as a match
// begins, and all teams share it. A team has clusters and districts of its own only where it knows
// of obstacles; after a change, the next search that needs them makes them again. So a route
// reveals only the team's own knowledge.
//
// Each slot has a budget of work per tick. Work beyond the budget waits for the next tick.
// The budgets are separate: other players' actions, seen or not, cost a player no time.
//
// The package knows no world, no entity and no team. Its caller, match/sim, keeps one Ground
// per team and tells the Finder which tiles changed. How far a flow field has come is part of
// the match's state, since it decides in which tick a unit gets its path. A route has no
// state: a search ends in the tick in which it began, the graph follows from the ground alone,
// and making parts of the graph again costs no budget. So the Finder can search the routes of
// a tick side by side ([Finder.FindAll], together.go): each search only reads the ground, and
// the answers come in order. Apart from that, nothing here is safe for more than one
// goroutine.
package nav
