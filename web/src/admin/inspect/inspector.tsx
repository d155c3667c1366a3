// The inspector of one match: maps, side panel and time line, with the keys that
// move them.

import { effect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { clock, sides } from "../words";
import { EntitiesPanel } from "./entities";
import { keyDown } from "./keys";
import { KnownPanel } from "./known";
import { ALL, formatLink, type Mode, type Tab } from "./link";
import { Maps } from "./maps";
import type { Inspector } from "./model";
import { OrdersPanel } from "./orders";
import { Choice, Mark } from "./parts";
import { SelectionPanel } from "./selection";
import type { TimeControls } from "./timepanel";
import { TimePanel } from "./timepanel";
import { TrafficPanel } from "./trafficpanel";
import { eyesName, teamName } from "./words";

const MODE_WORDS: Record<Mode, { words: string; title: string }> = {
  eyes: { words: "One view", title: "What one pair of eyes sees (1)" },
  beside: { words: "Side by side", title: "Two pairs of eyes at the same tick (2)" },
  difference: { words: "Difference", title: "What one team sees and the other does not (3)" },
  heat: { words: "Bytes", title: "Where the bytes of a team's frames go (4)" },
};
const TAB_WORDS: Record<Tab, string> = {
  selection: "Why",
  entities: "Entities",
  orders: "Orders",
  known: "Known & sent",
  traffic: "Traffic",
};
/** How long after a change the address of the page follows. */
const ADDRESS_MS = 300;

export function InspectorView({ model, back }: { model: Inspector; back: () => void }) {
  const root = useRef<HTMLDivElement>(null);
  const time = useRef<TimeControls | null>(null);
  useEffect(() => {
    let timer = 0;
    const stop = effect(() => {
      const address = formatLink(model.link.value);
      clearTimeout(timer);
      timer = window.setTimeout(() => history.replaceState(null, "", address), ADDRESS_MS);
    });
    const keys = (e: KeyboardEvent) => keyDown(e, model, { step: (by) => time.current?.step(by) }, back);
    document.addEventListener("keydown", keys);
    return () => {
      stop();
      clearTimeout(timer);
      document.removeEventListener("keydown", keys);
    };
  }, [model, back]);
  const controls = useMemo(
    () => (c: TimeControls) => {
      time.current = c;
    },
    [],
  );
  const facts = model.facts.value;
  const notice = model.notice.value;
  return (
    <div class="inspector" ref={root}>
      <Head model={model} back={back} />
      {notice && (
        <p class={`inspector-notice ${notice.error ? "error" : ""}`} role={notice.error ? "alert" : "status"}>
          {notice.words}
        </p>
      )}
      {facts ? (
        <>
          <Maps model={model} />
          <Side model={model} />
          <TimePanel model={model} controls={controls} />
        </>
      ) : (
        !notice && <p class="empty">Opening the match…</p>
      )}
    </div>
  );
}

function Head({ model, back }: { model: Inspector; back: () => void }) {
  const facts = model.facts.value;
  const running = facts?.live && facts.state !== "unknown";
  return (
    <header class="inspector-head">
      <button
        type="button"
        class="ghost-button"
        data-do="back-to-list"
        title="To the list of matches (Esc)"
        onClick={back}
      >
        ‹ Matches
      </button>
      {facts && (
        <>
          <h2>{facts.map.name}</h2>
          <span class={`chip ${running ? "live" : ""}`}>
            {running ? "live" : facts.state === "unknown" ? "not over" : facts.state}
          </span>
          <span class="dim head-sides">{sides(facts.players)}</span>
          <span class="grow" />
          <Choice
            label="What the map shows"
            name="mode"
            value={model.mode.value}
            options={(Object.keys(MODE_WORDS) as Mode[])
              .filter((m) => m === "eyes" || m === "heat" || model.teams.value.length > 1)
              .map((m) => ({ value: m, ...MODE_WORDS[m] }))}
            choose={(m) => model.chooseMode(m)}
          />
          <Faults model={model} />
          <CopyLink model={model} />
          <Help />
        </>
      )}
      {facts && <Eyes model={model} />}
    </header>
  );
}

/** More teams have numbers alone; pointing at one names its players. */
const NAMED_TEAMS = 4;

/** Whose eyes; with two views, the second view's too. */
function Eyes({ model }: { model: Inspector }) {
  const facts = model.facts.value!;
  const mode = model.mode.value;
  const teams = model.teams.value;
  const many = teams.length > NAMED_TEAMS;
  const option = (t: number) => ({
    value: t,
    title: eyesName(facts, t),
    words:
      t === ALL ? (
        "All eyes"
      ) : (
        <>
          <Mark model={model} slot={facts.players.find((p) => p.team === t)?.slot ?? -1} />{" "}
          {many ? teamName(t) : eyesName(facts, t)}
        </>
      ),
  });
  const options = mode === "difference" ? teams : [ALL, ...teams];
  return (
    <div class="eyes-row">
      <Choice
        label={mode === "beside" ? "Eyes on the left" : "Eyes"}
        name="eyes"
        value={model.eyes.value}
        options={options.map(option)}
        choose={(t) => {
          model.eyes.value = t;
          model.askedTeam.value = null;
        }}
      />
      {model.two.value && (
        <>
          <span class="dim">{mode === "difference" ? "against" : "beside"}</span>
          <Choice
            label={mode === "difference" ? "Against whose eyes" : "Eyes on the right"}
            name="other"
            value={model.other.value}
            options={options.map(option)}
            choose={(t) => {
              model.other.value = t;
            }}
          />
        </>
      )}
      {mode === "heat" && model.eyes.value === ALL && model.knownTeam.value !== null && (
        <span class="dim">bytes of {teamName(model.knownTeam.value)}</span>
      )}
    </div>
  );
}

function CopyLink({ model }: { model: Inspector }) {
  const said = useRef<HTMLSpanElement>(null);
  const copy = async () => {
    // The tick that is shown is part of the link, also while a live match is followed.
    const link = formatLink({ ...model.link.peek(), tick: model.tick.peek() });
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(location.href);
      if (said.current) said.current.textContent = "Copied";
    } catch {
      // Without the right to the clipboard the address has the link.
      if (said.current) said.current.textContent = "In the address bar";
    }
    setTimeout(() => {
      if (said.current) said.current.textContent = "Copy link";
    }, 1500);
  };
  return (
    <button
      type="button"
      class="ghost-button"
      data-do="copy-link"
      title="A link to exactly this (L)"
      onClick={() => void copy()}
    >
      <span ref={said}>Copy link</span>
    </button>
  );
}

const KEYS: readonly (readonly [string, string])[] = [
  ["Space", "play, pause"],
  [", .", "one tick, order or frame back or forward"],
  ["Shift + , .", "one second back or forward"],
  ["Home, End", "first tick, newest tick"],
  ["+ −", "zoom; the wheel too"],
  ["0", "the whole map"],
  ["Arrows", "move the map; dragging too"],
  ["C", "move the map to the selection"],
  ["P", "pin the selection"],
  ["E", "next eyes"],
  ["T", "next team's reason"],
  ["1 2 3 4", "one view, side by side, difference, bytes"],
  ["W U O K", "why, entities, orders, known and sent"],
  ["R", "next refused order"],
  ["N", "names"],
  ["L", "copy link"],
  ["Esc", "clear the selection, then the list of matches"],
];

/** Faults of the match's scripts: choosing one goes to its tick. */
function Faults({ model }: { model: Inspector }) {
  const { faults, faultCount, tickRate } = model.facts.value!;
  if (faultCount === 0) return null;
  return (
    <details class="help script-faults">
      <summary class="ghost-button" title="Faults of scripts: the effects of their handlers were left out">
        Script faults: {faultCount}
      </summary>
      <ul class="panel">
        {[...faults].reverse().map((f) => (
          <li key={`${f.tick} ${f.script} ${f.line}`}>
            <button type="button" class="ghost-button" onClick={() => model.seek(f.tick)}>
              {clock(f.tick, tickRate)} · tick {f.tick} · {f.script}:{f.line} · {f.handler}
            </button>
            <span class="dim"> {f.why}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Help() {
  return (
    <details class="help">
      <summary class="ghost-button" title="Keys">
        ?
      </summary>
      <dl class="facts panel">
        {KEYS.map(([key, what]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
    </details>
  );
}

function Side({ model }: { model: Inspector }) {
  const tab = model.tab.value;
  const tabs = (Object.keys(TAB_WORDS) as Tab[]).filter(
    (t) => t !== "traffic" || (model.facts.value?.live && model.source.traffic),
  );
  return (
    <aside class="side">
      <div class="tabs" role="tablist" aria-label="Panels">
        {tabs.map((t) => (
          <button
            key={t}
            type="button"
            role="tab"
            id={`tab-${t}`}
            aria-selected={t === tab}
            aria-controls="side-body"
            data-tab={t}
            onClick={() => {
              model.tab.value = t;
            }}
          >
            {TAB_WORDS[t]}
          </button>
        ))}
      </div>
      <div class="side-body" id="side-body" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === "selection" && <SelectionPanel model={model} />}
        {tab === "entities" && <EntitiesPanel model={model} />}
        {tab === "orders" && <OrdersPanel model={model} />}
        {tab === "known" && <KnownPanel model={model} />}
        {tab === "traffic" && <TrafficPanel model={model} />}
      </div>
    </aside>
  );
}
