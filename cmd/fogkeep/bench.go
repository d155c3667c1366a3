package main

// benchCmd measures parts of fogkeep on this machine.
type benchCmd struct {
	W1           benchW1Cmd           `cmd:"" name:"w1" help:"Send eight walking armies to eight clients."`
	W2           benchW2Cmd           `cmd:"" name:"w2" help:"The same, with health that changes."`
	W1Small      benchW1SmallCmd      `cmd:"" name:"w1-small" help:"The same with two small armies."`
	Battle       benchBattleCmd       `cmd:"" help:"Send a battle to its players."`
	Server       benchServerCmd       `cmd:"" hidden:"" help:"The measured server of the workloads above."`
	Writes       benchWritesCmd       `cmd:"" help:"Send frames to sockets and do nothing else: what the system calls of a tick cost."`
	WritesServer benchWritesServerCmd `cmd:"" name:"writes-server" hidden:"" help:"The process that sends them."`
	Attack       benchAttackCmd       `cmd:"" help:"Flood a server in every known way, and measure what honest players notice."`
	AttackServer benchAttackServerCmd `cmd:"" hidden:"" help:"The server under attack."`
	Attacker     benchAttackerCmd     `cmd:"" hidden:"" help:"One attack."`
	Lobby        benchLobbyCmd        `cmd:"" help:"Let guests in: log-in, lobby, ticket, socket; on SQLite, and on PostgreSQL if one is named."`
	Load         benchLoadCmd         `cmd:"" help:"Play many matches on one server, let people come and go and cut all connections at once."`
	Record       benchRecordCmd       `cmd:"" help:"Write what a client of walking armies is sent into a file, for the bench of the browser's client."`
	Sim          benchSimCmd          `cmd:"" help:"Fight a battle in the simulation alone."`
	Move         benchMoveCmd         `cmd:"" help:"Give orders to groups of units, and measure how they are obeyed."`
	Paths        benchPathsCmd        `cmd:"" help:"Send units far through a maze, and measure how soon they set out."`
	Recovery     benchRecoveryCmd     `cmd:"" help:"Bring a battle back from its journal."`
	Replay       benchReplayCmd       `cmd:"" help:"Go to random ticks of a battle that was played."`
	Vision       benchVisionCmd       `cmd:"" help:"Move a crowd over the visibility engine and its baselines."`
	Matchmaking  benchMatchmakingCmd  `cmd:"" help:"Let simulated players wait in queues, and measure how long, and how even their matches are."`
	Bots         benchBotsCmd         `cmd:"" help:"Let the levels of bots play each other, without sockets."`
	Log          benchLogCmd          `cmd:"" help:"Write journals to files, to log servers and to PostgreSQL, and kill a log server."`
	LoadFloor    benchLoadFloorCmd    `cmd:"" hidden:"" help:"The server of a load's floor."`
	LogServer    benchLogServerCmd    `cmd:"" hidden:"" help:"One of those log servers."`
	Cluster      benchClusterCmd      `cmd:"" help:"Kill the nodes of a cluster under its players, and measure what they notice."`
	Placement    benchPlacementCmd    `cmd:"" help:"Let nodes of simulated clusters die, and measure how long their matches stand still."`
}
