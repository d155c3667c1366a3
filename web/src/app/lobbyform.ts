// What a host decides of a lobby: to make one, and to change one that is open.

import { sentence } from "../base/errors";
import type { Lobby, MapInfo, NewLobby, Options } from "../gen/player";
import { api } from "../net/api";
import { fill, h, text } from "../ui/dom";

export interface LobbyFormOptions {
  /** The lobby to change; without, one is made. */
  lobby?: Lobby;
  /** Name of a new one. */
  name?: string;
  title: string;
  submit: string;
  /** Does it; what it throws is said in the form. */
  send(wishes: NewLobby): Promise<void>;
}

const MODES = [
  ["skirmish", "Skirmish"],
  ["deathmatch", "Deathmatch"],
] as const;
const SPEEDS: readonly (readonly [number, string])[] = [
  [10, "Half"],
  [15, "Slow"],
  [20, "Normal"],
  [30, "Fast"],
  [40, "Double"],
];
const OCCLUSION: readonly (readonly [Options["occlusion"], string])[] = [
  ["map", "As the map says"],
  ["none", "Nothing"],
  ["high-ground", "High ground"],
  ["line-of-sight", "High ground and cliffs"],
];

export function lobbyForm(o: LobbyFormOptions): HTMLFormElement {
  const { lobby } = o;
  // Two of these are never on a page, but a form and the list behind it are.
  const id = (name: string) => `${lobby ? "change" : "lobby"}-${name}`;
  const number = (name: string, min: number, max: number, value: number) =>
    h("input", { id: id(name), type: "number", min, max, required: true, value: String(value) });
  const choice = <T extends string | number>(
    name: string,
    choices: readonly (readonly [T, string])[],
    value: T,
  ) =>
    h(
      "select",
      { id: id(name) },
      (choices.some(([v]) => v === value) ? choices : [...choices, [value, String(value)] as const]).map(
        ([v, words]) => h("option", { value: v, selected: v === value }, words),
      ),
    );
  const field = (name: string, words: string, control: HTMLElement) => [
    h("label", { for: id(name) }, words),
    control,
  ];

  const name = h("input", {
    id: id("name"),
    type: "text",
    maxLength: 40,
    required: true,
    value: lobby?.name ?? o.name ?? "",
  });
  const map = h("select", { id: id("map") });
  const limit = number("limit", 2, 16, lobby?.limit ?? 2);
  const password = h("input", { id: id("password"), type: "text", maxLength: 128, autocomplete: "off" });
  const open = h("input", { id: id("open"), type: "checkbox" });
  open.addEventListener("change", () => {
    password.disabled = open.checked;
  });
  const was = lobby?.options;
  const mode = choice<string>("mode", MODES, was?.mode ?? "skirmish");
  const score = number("score", 0, 1_000_000, was?.scoreLimit ?? 0);
  const speed = choice("speed", SPEEDS, was?.ticksPerSecond ?? 20);
  const occlusion = choice("occlusion", OCCLUSION, was?.occlusion ?? "map");
  const minutes = number("minutes", 0, 240, was?.timeLimitMinutes ?? 0);
  const spectators = number("spectators", 0, 16, was?.spectators ?? 4);
  const delay = number("delay", 0, 600, was?.spectatorDelay ?? 60);
  const scoreField = h("div", null, field("score", "Score that wins (0: none)", score));
  const onMode = () => {
    scoreField.hidden = mode.value !== "deathmatch";
  };
  mode.addEventListener("change", onMode);
  onMode();
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const submit = h(
    "button",
    { type: "submit", class: "wide", "data-do": lobby ? "change" : "create" },
    o.submit,
  );
  const facts = h("p", { class: "dim" });

  let maps: MapInfo[] = [];
  const onMap = () => {
    const m = maps.find((x) => x.id === map.value);
    if (!m) return;
    limit.max = String(m.starts);
    limit.value = String(m.id === lobby?.map.id ? lobby.limit : m.starts);
    text(facts, `${m.width}×${m.height} tiles, up to ${m.starts} players.`);
  };
  map.addEventListener("change", onMap);
  api
    .maps()
    .then((r) => {
      maps = [...r.maps].sort((a, b) => a.starts - b.starts || a.name.localeCompare(b.name));
      fill(
        map,
        maps.map((m) =>
          h("option", { value: m.id, selected: m.id === lobby?.map.id }, `${m.name} (${m.starts})`),
        ),
      );
      onMap();
      if (maps.length > 0) return;
      text(facts, "This server has no maps. Its keeper can add some to the maps folder.");
      submit.disabled = true;
    })
    .catch((err) => text(facts, sentence(err)));

  const wishes = (): NewLobby => ({
    name: name.value.trim(),
    map: map.value,
    password: passwordWish(password.value, open.checked),
    limit: Number(limit.value),
    options: {
      mode: mode.value,
      // Only a deathmatch is won by its score.
      scoreLimit: mode.value === "deathmatch" ? Number(score.value) : 0,
      ticksPerSecond: Number(speed.value),
      occlusion: occlusion.value as Options["occlusion"],
      timeLimitMinutes: Number(minutes.value),
      spectators: Number(spectators.value),
      spectatorDelay: Number(delay.value),
    },
  });
  return h(
    "form",
    {
      class: lobby ? "create" : "panel create",
      onsubmit: async (e: Event) => {
        e.preventDefault();
        error.hidden = true;
        submit.disabled = true;
        try {
          await o.send(wishes());
        } catch (err) {
          text(error, sentence(err));
          error.hidden = false;
        } finally {
          submit.disabled = false;
        }
      },
    },
    h("h2", null, o.title),
    field("name", "Name", name),
    field("map", "Map", map),
    facts,
    field("limit", "Seats", limit),
    field(
      "password",
      lobby?.private
        ? "Another password (leave empty to keep the one there is)"
        : "Password (leave empty for everyone)",
      password,
    ),
    lobby?.private
      ? h("label", { class: "row", for: id("open") }, open, "Remove the password, so that everyone can join")
      : null,
    h(
      "details",
      { open: lobby !== undefined },
      h("summary", null, "Rules and spectators"),
      field("mode", "Mode", mode),
      scoreField,
      field("speed", "Speed", speed),
      field("occlusion", "What hides from sight", occlusion),
      field("minutes", "Minutes until the score decides (0: never)", minutes),
      field("spectators", "Seats for spectators", spectators),
      field("delay", "Seconds that spectators see it later", delay),
    ),
    error,
    submit,
  );
}

/** A lobby keeps the password it has, unless another is written or it is to have none. */
export function passwordWish(written: string, remove: boolean): string | undefined {
  return remove ? "" : written || undefined;
}

/** A lobby's rules in one line. */
export function rulesLine(o: Options): string {
  const mode = MODES.find(([v]) => v === o.mode)?.[1] ?? o.mode;
  const speed = SPEEDS.find(([v]) => v === o.ticksPerSecond)?.[1] ?? `${o.ticksPerSecond} ticks a second`;
  const parts = [o.scoreLimit > 0 ? `${mode} to ${o.scoreLimit}` : mode, `speed: ${speed.toLowerCase()}`];
  if (o.occlusion !== "map")
    parts.push(`hides: ${(OCCLUSION.find(([v]) => v === o.occlusion)?.[1] ?? o.occlusion).toLowerCase()}`);
  if (o.timeLimitMinutes > 0) parts.push(`the score decides after ${o.timeLimitMinutes} min`);
  parts.push(
    o.spectators === 0
      ? "no spectators"
      : `up to ${o.spectators} spectators, ${o.spectatorDelay > 0 ? `${o.spectatorDelay} s delayed` : "live"}`,
  );
  if (o.seed) parts.push(`seed fixed to ${o.seed}: everyone can foresee the luck of this match`);
  return `${parts.join(" · ")}.`;
}
