package main

// benchCmd measures parts of fogkeep on this machine.
type benchCmd struct {
	W1           benchW1Cmd           `cmd:"" name:"w1" help:"Send eight walking armies to eight clients."`
	W2           benchW2Cmd           `cmd:"" name:"w2" help:"The same, with health that changes."`
	W1Small      benchW1SmallCmd      `cmd:"" name:"w1-small" help:"The same with two small armies."`
	Battle       benchBattleCmd       `cmd:"" help:"Send a battle to its players."`
	Server       benchServerCmd       `cmd:"" hidden:"" help:"The measured server of the workloads above."`
	Attack       benchAttackCmd       `cmd:"" help:"Flood a server in every known way, and measure what honest players notice."`
	AttackServer benchAttackServerCmd `cmd:"" hidden:"" help:"The server under attack."`
	Attacker     benchAttackerCmd     `cmd:"" hidden:"" help:"One attack."`
	Lobby        benchLobbyCmd        `cmd:"" help:"Let guests in: log-in, lobby, ticket, socket; on SQLite, and on PostgreSQL if one is named."`
	Sim          benchSimCmd          `cmd:"" help:"Fight a battle in the simulation alone."`
	Move         benchMoveCmd         `cmd:"" help:"Give orders to groups of units, and measure how they are obeyed."`
	Recovery     benchRecoveryCmd     `cmd:"" help:"Bring a battle back from its journal."`
	Vision       benchVisionCmd       `cmd:"" help:"Move a crowd over the visibility engine and its baselines."`
	Matchmaking  benchMatchmakingCmd  `cmd:"" help:"Let simulated players wait in queues, and measure how long, and how even their matches are."`
	Bots         benchBotsCmd         `cmd:"" help:"Let the levels of bots play each other, without sockets."`
}
