// The seasons of the queues with a ladder: start the next one, end the running one.

import type { QueueLadder } from "../gen/admin";
import { admin, may } from "./api";
import { Ask } from "./dialog";
import { DataTable } from "./table";
import { day } from "./tables";
import { when } from "./words";

export const Seasons = () => (
  <DataTable
    title="Seasons"
    list="leaderboards"
    load={() => admin.leaderboards()}
    id={(x) => x.queue}
    columns={{
      Queue: (x) => x.name,
      Id: (x) => <span class="dim">{x.queue}</span>,
      Season: (x) => x.ladder.season > 0 && <span class="num">{x.ladder.season}</span>,
      State: (x) => state(x),
    }}
    empty="No queue has a ladder. The configuration of a queue gives it one."
    actions={(x, { again }) =>
      may("admin") && (
        <>
          <Ask
            words="Start the next"
            name={`start-season-${x.queue}`}
            title={`Start season ${x.ladder.season + 1} of ${x.name}`}
            note={
              runs(x)
                ? `Season ${x.ladder.season} ends now. This cannot be undone.`
                : "Matches count again, and ratings begin nearer to each other."
            }
            fields={[
              {
                name: "ends",
                label: "Last day; empty: until an admin ends it",
                type: "date",
                optional: true,
              },
            ]}
            danger={runs(x)}
            run={async ({ ends }) => void (await admin.startSeason(x.queue, { endsAt: day(ends, 1) }))}
            done={again}
          />
          {runs(x) && (
            <Ask
              words="End now"
              name={`end-season-${x.queue}`}
              title={`End season ${x.ladder.season} of ${x.name} now`}
              note="The places of players are final, and no match counts until the next season. This cannot be undone."
              danger
              run={async () => void (await admin.endSeason(x.queue))}
              done={again}
            />
          )}
        </>
      )
    }
  />
);

const runs = ({ ladder }: QueueLadder): boolean => ladder.season > 0 && !ladder.over;

function state({ ladder }: QueueLadder): string {
  if (ladder.season === 0) return "before the first season";
  if (ladder.over) return "over";
  if (ladder.endsMs === undefined) return "runs until an admin ends it";
  return `runs until ${when(new Date(Date.now() + ladder.endsMs).toISOString())}`;
}
