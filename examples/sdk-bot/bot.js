// A bot: its workers mine, its army attacks the enemies in sight, or goes to look for some.
// Run it with: npm install && node bot.js http://127.0.0.1:8080

import { armyUnits, Client, doingOf, idleWorkers, nearest, posOf } from "@fogkeep/client";

const client = new Client({ server: process.argv[2] ?? "http://127.0.0.1:8080" });
await client.guest("Example bot");
const match = await client.play((await client.playBot("easy")).id);
const { state, info } = match;
match.setSpeed(300, false);

setInterval(async () => {
  for (const worker of idleWorkers(state)) {
    const target = nearest(state, worker, (type) => type.class === "resource");
    if (target) match.order({ do: "harvest", units: [worker], target });
  }
  const units = armyUnits(state).filter((u) => doingOf(state, u) === "idle");
  const target = nearest(state, units[0] ?? 0, (_, relation) => relation === "enemy");
  const { x, y } = info.map.starts[Math.floor(Math.random() * info.map.starts.length)];
  console.log(
    `tick ${state.tick}: resources ${state.own.resources.join(", ")}; ${state.world.count} in sight`,
  );
  if (units.length === 0) return;
  const order = target ? { do: "attack", units, target } : { do: "attackMove", units, to: posOf(x, y) };
  const answer = await match.order(/** @type {import("@fogkeep/client").Order} */ (order)).answer;
  console.log(`${order.do} of ${units.length}: ${answer.ok ? "accepted" : answer.code}`);
}, 500);

console.log("over:", (await match.events.next("end")).reason);
process.exit();
