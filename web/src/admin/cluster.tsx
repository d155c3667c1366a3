// The nodes of a cluster: what runs where, how full each is, and the journal store. A node can
// be emptied, and a match moved.

import { FogkeepError } from "@fogkeep/client";
import type { ClusterNode, ClusterStatus } from "../gen/admin";
import { ErrorLine } from "../ui/work";
import { admin, may } from "./api";
import { Ask } from "./dialog";
import { usePoll } from "./poll";
import { Grid, Loading, Panel } from "./table";
import { sentence } from "./words";

const REFRESH_MS = 2000;

export function Cluster() {
  const { data: status, error, again } = usePoll(() => admin.cluster(), { everyMs: REFRESH_MS });
  if (error instanceof FogkeepError && error.status === 404)
    return (
      <Panel title="Cluster">
        <p class="empty">
          This server is not part of a cluster. docs/operate/cluster.md says how to make one.
        </p>
      </Panel>
    );
  return (
    <div class="stack">
      <ErrorLine
        text={
          error
            ? sentence(error)
            : status?.logAway
              ? "The journal store does not answer this node. Its matches stand still until it does."
              : ""
        }
      />
      {status ? <Status status={status} again={again} /> : !error && <Loading />}
    </div>
  );
}

interface StatusProps {
  status: ClusterStatus;
  again: () => void;
}

function Status({ status: s, again }: StatusProps) {
  const alive = s.nodes.filter((n) => n.state === "alive").length;
  return (
    <>
      <Panel
        title="Nodes"
        head={
          <p class="head-note dim">
            As {s.node} sees it: {counted(s.matches, "match", "matches")} on {counted(alive, "node", "nodes")}
            .
          </p>
        }
      >
        <Grid
          id={(x) => x.name}
          columns={{
            Node: (n) => (n.name === s.node ? <b>{n.name}</b> : n.name),
            State: (n) => <State of={n} />,
            Matches: (n) => (
              <span class="num">
                {n.matches} of {n.most}
              </span>
            ),
            Processor: (n) => <Share label={`Processor of ${n.name}`} thousandths={n.processor} />,
            Memory: (n) => <Share label={`Memory of ${n.name}`} thousandths={n.memory} />,
            Build: (n) => <span class="dim">{n.build}</span>,
            "Players reach it at": (n) => n.url ?? <span class="dim">any node</span>,
          }}
          items={s.nodes}
          actions={(n) =>
            may("admin") && n.state === "alive" && <NodeActions node={n} status={s} again={again} />
          }
        />
      </Panel>
      {s.orphans.length > 0 && (
        <Panel title="Matches that no node runs">
          <Grid
            id={(x) => x.match}
            columns={{
              Match: (o) => <span class="num">{o.match}</span>,
              "Waits for": (o) => <span class="num">{(o.waitingMs / 1000).toFixed(1)} s</span>,
              "Ran on": (o) => o.former,
              "Is taken over by": (o) =>
                o.nodes.length > 0 ? o.nodes.join(", then ") : "no living node of its build",
            }}
            items={s.orphans}
          />
        </Panel>
      )}
      <Panel title="Journal store">
        <Grid
          id={(x) => x.name}
          columns={{
            Part: (x) => x.name,
            Leader: (x) => x.leader || <span class="chip warn">being elected</span>,
            "Kept by": (x) => x.servers.join(", "),
          }}
          items={s.streams}
        />
        {s.streams.length === 0 && <p class="empty">The journal store does not answer.</p>}
      </Panel>
    </>
  );
}

const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

function State({ of: n }: { of: ClusterNode }) {
  const words: string[] = [n.state];
  if (n.draining) words.push("draining");
  if (n.taking.length > 0) words.push(`takes ${n.taking.length} over`);
  return (
    <span class={`chip ${n.state === "alive" && !n.draining ? "live" : "warn"}`}>{words.join(", ")}</span>
  );
}

/** A share in thousandths, as a bar with its number. */
const Share = ({ label, thousandths }: { label: string; thousandths: number }) => (
  <span class="row share">
    <meter aria-label={label} min={0} max={1000} high={700} value={thousandths} />
    <span class="num">{Math.round(thousandths / 10)} %</span>
  </span>
);

function NodeActions({ node: n, status: s, again }: StatusProps & { node: ClusterNode }) {
  const others = s.nodes.some((o) => o.state === "alive" && o.name !== n.name);
  return (
    <>
      {others && !n.draining && (
        <Ask
          words="Move here"
          title={`Move a match to ${n.name}`}
          fields={[{ name: "match", label: "Match (its id)" }]}
          submit="Move"
          run={async ({ match }) => void (await admin.moveMatch(match.trim(), { node: n.name }))}
          done={again}
        />
      )}
      <Ask
        words={n.draining ? "Allow matches" : "Drain"}
        title={n.draining ? `Let ${n.name} take matches again` : `Empty ${n.name}`}
        note={
          n.draining
            ? undefined
            : "Its matches move to other nodes, each with a pause of less than a second, and it takes no new ones."
        }
        run={async () => void (await admin.drainNode(n.name, { on: !n.draining }))}
        done={again}
      />
    </>
  );
}
