// Package bot plays fogkeep as a person's client does: it opens the same websocket, and knows only the frames received
// and the public map.
//
//	websocket ──► Play ──► match/client.State ──► Player.Take, Player.Think ──► orders
//	    ▲                                                                         │
//	    └─────────────────────────────────────────────────────────────────────────┘
//
// A [Player] decides. The package has players of six levels, each in six styles: see [Skill]. They do not cheat: they
// read only the client's state, without a world, a view, or a handle that no frame brought. They are pure: one
// goroutine, no clock but the frames' ticks, and the same orders for the same frames. The map's size and the entities
// in sight bound a player's memory.
//
//   - [Beginner], [Easy] and [Medium] gather the first resource, and attack in waves of the unit that is the best for its
//     price.
//   - [Hard], [Expert] and [Master] mine all resources, expand, train counters to the enemy types that they saw,
//     retreat from a fight that they would lose, and use abilities (hard_*.go). Master's server gives it more of each
//     load, by [Skill.Income].
//
// From Medium on, players build docks and ships where only water leads to the enemy.
//
// All read the roles of types from the welcome's rules: a worker is a type that builds, a centre is a type that trains
// workers. They name no type of a ruleset.
//
// [Play] owns one socket at a time. When the connection breaks, it comes back with its resume token. A program with a
// ticket gives it to Play, with the player: a level's New, or a constructor of its own. A program that has its own
// connection makes a match/client.State, and calls Take and Think itself. match/bot/headless plays matches between
// players without a server. docs/build/write-a-bot.md shows both.
//
// The package knows no lobbies: lobby/client finds a lobby and gets a ticket.
package bot
