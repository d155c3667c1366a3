// The nodes of a cluster: what runs where, how full each is, and the log. A node can
// be emptied, and a match moved.

import { FogkeepError } from "@fogkeep/client";
import type { Admin, ClusterNode, ClusterStatus } from "../gen/admin";
import { type Child, fill, h, text } from "../ui/dom";
import { admin, may } from "./api";
import { ask } from "./dialog";
import type { Page } from "./tables";
import { sentence } from "./words";

const REFRESH_MS = 2000;

export function clusterPage(who: Admin): Page {
  const line = h("p", { class: "dim" });
  const error = h("p", { class: "error", role: "alert" });
  const nodes = grid(["Node", "State", "Matches", "Processor", "Memory", "Build", "Players reach it at", ""]);
  const streams = grid(["Part", "Leader", "Kept by"]);
  const orphans = grid(["Match", "Waits for", "Ran on", "Is taken over by"]);
  const waiting = section("Matches that no node runs", orphans.element);
  const all = h(
    "div",
    { hidden: true },
    section("Nodes", nodes.element),
    waiting,
    section("Log", streams.element),
  );
  const mayChange = may(who.role, "admin");
  const draw = (s: ClusterStatus) => {
    all.hidden = false;
    text(error, s.logAway ? "The log does not answer this node. Its matches stand still until it does." : "");
    text(
      line,
      `As ${s.node} sees it: ${counted(s.matches, "match", "matches")} on ${counted(s.nodes.filter((n) => n.state === "alive").length, "node", "nodes")}.`,
    );
    nodes.rows(
      s.nodes.map((n) => [
        n.name === s.node ? h("b", null, n.name) : n.name,
        state(n),
        h("span", { class: "num" }, `${n.matches} of ${n.most}`),
        share(n.processor),
        share(n.memory),
        h("span", { class: "dim" }, n.build),
        n.url ?? h("span", { class: "dim" }, "any node"),
        mayChange && n.state === "alive" ? actions(n, s, () => void refresh()) : null,
      ]),
    );
    streams.rows(
      s.streams.map((x) => [
        x.name,
        x.leader || h("span", { class: "chip warn" }, "being elected"),
        x.servers.join(", "),
      ]),
    );
    waiting.hidden = s.orphans.length === 0;
    orphans.rows(
      s.orphans.map((o) => [
        h("span", { class: "num" }, o.match),
        h("span", { class: "num" }, `${(o.waitingMs / 1000).toFixed(1)} s`),
        o.former ?? "",
        o.nodes.length > 0 ? o.nodes.join(", then ") : "no living node of its build",
      ]),
    );
  };
  const refresh = async () => {
    try {
      draw(await admin.cluster());
    } catch (err) {
      if (err instanceof FogkeepError && err.status === 404) {
        all.hidden = true;
        text(line, "This server is not part of a cluster. docs/cluster.md says how to make one.");
      } else text(error, sentence(err));
    }
  };
  void refresh();
  const timer = setInterval(() => void refresh(), REFRESH_MS);
  return { element: h("div", null, line, error, all), close: () => clearInterval(timer) };
}

const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

function state(n: ClusterNode): HTMLElement {
  const words: string[] = [n.state];
  if (n.draining) words.push("draining");
  if (n.taking.length > 0) words.push(`takes ${n.taking.length} over`);
  return h(
    "span",
    { class: `chip ${n.state === "alive" && !n.draining ? "live" : "warn"}` },
    words.join(", "),
  );
}

/** A share in thousandths, as a bar with its number. */
const share = (thousandths: number): HTMLElement =>
  h(
    "span",
    { class: "row share" },
    h("meter", { min: 0, max: 1000, high: 700, value: thousandths }),
    h("span", { class: "num" }, `${Math.round(thousandths / 10)} %`),
  );

function actions(n: ClusterNode, s: ClusterStatus, again: () => void): HTMLElement {
  const others = s.nodes.filter((o) => o.state === "alive" && o.name !== n.name);
  const drain = h(
    "button",
    {
      type: "button",
      class: "ghost-button",
      "data-node": n.name,
      onclick: () =>
        ask({
          title: n.draining ? `Let ${n.name} take matches again` : `Empty ${n.name}`,
          note: n.draining
            ? undefined
            : "Its matches move to other nodes, each with a pause of less than a second, and it takes no new ones.",
          submit: n.draining ? "Allow matches" : "Drain",
          run: async () => void (await admin.drainNode(n.name, { on: !n.draining })),
          done: again,
        }),
    },
    n.draining ? "Allow matches" : "Drain",
  );
  const move = h(
    "button",
    {
      type: "button",
      class: "ghost-button",
      onclick: () =>
        ask({
          title: `Move a match to ${n.name}`,
          fields: [{ name: "match", label: "Match (its id)" }],
          submit: "Move",
          run: async ({ match }) => void (await admin.moveMatch(match.trim(), { node: n.name })),
          done: again,
        }),
    },
    "Move here",
  );
  return h("span", { class: "row end" }, others.length > 0 && !n.draining ? move : null, drain);
}

function section(title: string, body: HTMLElement): HTMLElement {
  return h("section", { class: "panel" }, h("div", { class: "row table-head" }, h("h2", null, title)), body);
}

function grid(columns: readonly string[]) {
  const body = h("tbody");
  return {
    element: h(
      "div",
      { class: "table-scroll" },
      h(
        "table",
        null,
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            columns.map((c) => h("th", null, c)),
          ),
        ),
        body,
      ),
    ),
    rows(all: Child[][]): void {
      fill(
        body,
        all.map((cells) =>
          h(
            "tr",
            null,
            cells.map((c) => h("td", null, c)),
          ),
        ),
      );
    },
  };
}
