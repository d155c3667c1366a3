// Command roguelike is a turn-based game in a terminal that uses package visibility
// of fogkeep alone: the hero's view is drawn, seen tiles are remembered, and a rat is there only while it is in sight.
//
//	keys (w a s d, . waits, q ends) ──► game.turn ──► Engine.Move, Step ──► draw
//
// A closed door is ground that blocks sight. To open it is to change that ground.
package main
