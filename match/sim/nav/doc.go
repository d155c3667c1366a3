// Package nav finds paths over the ground as a team knows it.
//
//	map ──► Base ──► Ground of a team ◄── SetSeen, Touch: structures, obstacles
//	                    │
//	Request: from, to, body ──► Finder.Find ──► legs of a path, or "ask again"
//
// A [Ground] is the map and the obstacles that one team knows. It answers what is
// connected (Reachable), and what a straight line crosses (ClearLine). A [Finder]
// finds paths for the units of a match. It takes the cheapest means that suffices:
//
//  1. the straight line, if nothing that the team knows is in the way;
//  2. a short A* search (near.go), if the goal is near;
//  3. a flow field (field.go): it leads from every tile to one goal, and all units
//     of a player that go there share it.
//
// Each slot has a budget of work a tick. What the budget does not cover waits for
// the next tick. The budgets are separate: what other players do, seen or not, costs
// a player no time.
//
// The package knows no world, no entity and no team. Its caller, match/sim, keeps one
// Ground a team and tells the Finder which tiles changed. How far a flow field has
// come is part of the match's state, since it decides in which tick a unit gets its
// path. Nothing here is safe for more than one goroutine.
package nav
