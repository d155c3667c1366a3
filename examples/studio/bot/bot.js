// A player of the studio: logs in with the studio's token, plays the match that the studio's backend has made, and
// gives up after so many seconds, if any are said. Each line that it writes is JSON.
// Run it with: STUDIO_TOKEN=… node bot.js SERVER LOBBY [SECONDS]

import { armyUnits, Client, idleWorkers, nearest } from "@fogkeep/client";

const [server, lobby, seconds] = process.argv.slice(2);
const say = (what) => console.log(JSON.stringify(what));

const client = new Client({ server: server ?? "http://127.0.0.1:8080" });
const account = await client.logInByToken("studio", process.env.STUDIO_TOKEN ?? "");
const match = await client.play(lobby ?? "");
const { state, info } = match;
const soldier = info.rules.types.find((t) => t.name === "soldier");
say({ account: account.id, match: info.matchId, rules: info.rulesHash, soldierHealth: soldier?.health });

if (seconds) setTimeout(() => match.order({ do: "surrender", units: [] }), Number(seconds) * 1000);
setInterval(() => {
  for (const worker of idleWorkers(state)) {
    const target = nearest(state, worker, (type) => type.class === "resource");
    if (target) match.order({ do: "harvest", units: [worker], target });
  }
  const army = armyUnits(state);
  const enemy = nearest(state, army[0] ?? 0, (_, relation) => relation === "enemy");
  if (enemy) match.order({ do: "attack", units: army, target: enemy });
}, 500);

const { reason, winners } = await match.events.next("end");
say({ reason, winners, team: info.team, gathering: state.own.resources });
process.exit();
