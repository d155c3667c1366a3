// The line below the navigation: the state of the server, and the settings for the whole server: announcements, and no
// new matches (draining).

import type { ServerOutBody } from "../gen/admin";
import { admin, may } from "./api";
import { Ask } from "./dialog";
import { usePoll } from "./poll";

const REFRESH_MS = 5000;

export function ServerBar() {
  const { data, error, again } = usePoll(() => admin.house(), { everyMs: REFRESH_MS });
  const draining = data?.draining ?? false;
  return (
    <div class="admin-top server">
      <span class={error ? "error" : "dim num"}>
        {error ? "the server does not answer" : data && stateLine(data)}
      </span>
      <span class="grow" />
      {may("moderator") && (
        <Ask
          words="Announce"
          title="Announce to everyone in lobbies and matches"
          fields={[{ name: "text", label: "Text" }]}
          run={async ({ text }) => void (await admin.announce({ text }))}
        />
      )}
      {may("admin") && (
        <Ask
          words={draining ? "Allow matches" : "Drain"}
          hint="No new matches; live ones finish"
          title={draining ? "Allow new matches" : "Stop new matches"}
          note={draining ? undefined : "Nobody can join a lobby and no match starts. Live matches finish."}
          run={async () => void (await admin.drain({ on: !draining }))}
          done={again}
        />
      )}
    </div>
  );
}

function stateLine(s: ServerOutBody): string {
  const store = s.store === "postgres" ? "PostgreSQL" : "SQLite";
  const facts = [store, `live matches ${s.live}`, `connected ${s.players}`, `lobbies ${s.lobbies}`];
  if (s.draining) facts.push("draining");
  return facts.join(" · ");
}
