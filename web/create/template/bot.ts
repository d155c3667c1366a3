// A bot: its workers mine, its army attacks the enemies in sight, or goes to look for some.
// npm run bot [-- LOBBY]: it joins the lobby, or plays against a bot of the server.

import { armyUnits, Client, doingOf, idleWorkers, nearest, type Order, posOf } from "@fogkeep/client";

const client = new Client({ server: `http://${process.env.FOGKEEP_ADDR ?? "127.0.0.1:8080"}` });
const { id } = await client.guest("My bot");
const lobby = process.argv[2] ?? (await client.playBot("easy")).id;
if (process.argv[2]) await join(lobby);
const match = await client.play(lobby);
const { state, info } = match;

setInterval(async () => {
  for (const worker of idleWorkers(state)) {
    const target = nearest(state, worker, (type) => type.class === "resource");
    if (target) match.order({ do: "harvest", units: [worker], target });
  }
  const units = armyUnits(state).filter((unit) => doingOf(state, unit) === "idle");
  const target = nearest(state, units[0] ?? 0, (_, relation) => relation === "enemy");
  const { x, y } = info.map.starts[Math.floor(Math.random() * info.map.starts.length)];
  console.log(
    `tick ${state.tick}: resources ${state.own.resources.join(", ")}; ${state.world.count} in sight`,
  );
  if (units.length === 0) return;
  const order: Order = target
    ? { do: "attack", units, target }
    : { do: "attackMove", units, to: posOf(x, y) };
  const answer = await match.order(order).answer;
  console.log(`${order.do} of ${units.length}: ${answer.ok ? "accepted" : answer.code}`);
}, 500);

console.log("over:", (await match.events.next("end")).reason);
process.exit();

/** Takes a seat of a lobby and is ready until the match begins; each change of the settings takes ready back. */
async function join(lobby: string): Promise<void> {
  await client.api.joinLobby(lobby);
  await new Promise<void>((begun) => {
    const events = client.listen(lobby, {
      async lobby({ state, seats, settingsVersion }) {
        if (state === "playing") {
          events.close();
          begun();
        } else if (seats.some((seat) => seat.account?.id === id && !seat.ready))
          await client.api.changeSeat(lobby, { ready: true, settingsVersion }).catch(console.error);
      },
    });
  });
}
