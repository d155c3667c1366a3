// The menu of a match, and the dialog of the settings.

import type { Match } from "@fogkeep/client";
import type { Game } from "../game/game";
import { lagWords } from "../game/lag";
import { BUSES, DATA_LIMITS, type Settings, type SettingsStore } from "../game/settings";
import { playsAlone, SPEEDS, togglePause } from "../game/speed";
import { optionValue } from "../text/names";
import { LANGUAGES, t } from "../text/text";
import { dialogIsOpen, showDialog } from "../ui/dialog";
import { h } from "../ui/dom";
import { keysSection } from "./keysmenu";

/** The menu of a match. It stops the match of a player who plays alone for as long as it is open. */
export function matchMenu(
  settings: SettingsStore,
  game: Game,
  match: Match,
  leaveMatch: () => void,
  inspect?: () => void,
): void {
  if (dialogIsOpen()) return;
  const surrender = h(
    "button",
    {
      type: "button",
      class: "danger wide",
      onclick: () => {
        if (surrender.dataset.sure !== "yes") {
          surrender.dataset.sure = "yes";
          surrender.textContent = t("settings.surrenderSure");
          return;
        }
        game.send({ do: "surrender", units: [] });
        element.close();
      },
    },
    t("settings.surrender"),
  );
  const entry = (what: string, words: string, run: () => void, look = "") =>
    h("button", { type: "button", class: `wide ${look}`, "data-do": what, onclick: run }, words);
  const { info } = match;
  const plays = !info.spectator && match.status !== "ended" && info.players[info.slot]?.state === "playing";
  const speed = plays ? speedControls(match) : null;
  const element = h(
    "dialog",
    { class: "panel menu short", "aria-label": t("common.menu") },
    h("h2", null, t("common.menu")),
    entry("back", t("settings.backToMatch"), () => element.close(), "primary"),
    entry("options", t("settings.options"), () => showSettings(settings, t("settings.options"))),
    entry("full-screen", t("settings.fullScreen"), toggleFullScreen),
    speed?.element,
    plays ? h("p", { class: "dim", "data-lag": "" }, lagWords(match)) : null,
    plays && !playsAlone(info) ? voteControl(match, () => element.close()) : null,
    plays ? surrender : null,
    inspect
      ? entry("inspect", t("settings.inspect"), () => {
          speed?.closed();
          element.close();
          inspect();
        })
      : null,
    game.report
      ? entry("report", t("common.report"), () => {
          speed?.closed();
          element.close();
          game.report?.();
        })
      : null,
    entry("leave-match", t("settings.leaveMatch"), () => {
      speed?.closed(); // before the connection ends: the match must not stay paused
      element.close();
      leaveMatch();
    }),
  );
  showDialog(element, () => {
    speed?.closed();
    game.canvasElement.focus({ preventScroll: true });
  });
}

/**
 * The choice of the match's speed, and the button that pauses it. The match of a player
 * who plays alone stops at once; `closed` lets it go on, unless the player paused it.
 */
function speedControls(match: Match): { element: HTMLElement; closed(): void } {
  const { percent, paused, pausesLeft } = match.speed;
  const alone = playsAlone(match.info);
  let stops = alone && !paused;
  if (stops) match.setSpeed(percent, true);
  const select = h(
    "select",
    {
      "aria-label": t("speed.title"),
      onchange: () => match.setSpeed(SPEEDS[select.selectedIndex], stops || match.speed.paused),
    },
    SPEEDS.map((s) => h("option", { selected: s === percent }, optionValue("speedPercent", s, `${s} %`))),
  );
  const few = !paused && pausesLeft > 0 && !alone;
  const pause = h(
    "button",
    {
      type: "button",
      "data-do": "pause",
      onclick: () => {
        if (stops) stops = false;
        else togglePause(match);
        pause.closest("dialog")?.close();
      },
    },
    paused ? t("speed.goOn") : few ? t("speed.left", { count: pausesLeft }) : t("speed.pause"),
  );
  return {
    element: h("div", { class: "row" }, select, pause),
    closed: () => {
      if (stops && match.status !== "ended") match.setSpeed(SPEEDS[select.selectedIndex], false);
      stops = false;
    },
  };
}

/** The choice of a question to the players. */
function voteControl(match: Match, done: () => void): HTMLElement {
  const { info } = match;
  const mates = info.players.filter(
    (p) => p.team === info.team && p.slot !== info.slot && !p.bot && p.state === "playing",
  );
  const polls = [
    { kind: "remake", slot: 0 } as const,
    { kind: "surrender", slot: 0 } as const,
    // A removal needs two votes beside the player whom it is about.
    ...(mates.length > 1 ? mates.map((p) => ({ kind: "kick", slot: p.slot }) as const) : []),
  ];
  const select = h(
    "select",
    {
      class: "wide",
      "data-do": "vote",
      "aria-label": t("votes.title"),
      onchange: () => {
        const { kind, slot } = polls[select.selectedIndex - 1];
        match.vote(kind, true, slot);
        done();
      },
    },
    h("option", { selected: true }, t("votes.menu")),
    polls.map((p) => h("option", null, t(`votes.${p.kind}`, { name: info.players[p.slot]?.name ?? "" }))),
  );
  return select;
}

/** The settings outside a match. */
export function settingsDialog(settings: SettingsStore): void {
  if (!dialogIsOpen()) showSettings(settings, t("common.settings"));
}

function showSettings(settings: SettingsStore, title: string): void {
  const element = h(
    "dialog",
    { class: "panel menu settings", "aria-label": title },
    h("h2", null, title),
    h(
      "div",
      { class: "menu-grid" },
      displaySection(settings),
      h("div", null, soundSection(settings), keysSection(settings)),
    ),
    h(
      "div",
      { class: "row end" },
      h("button", { type: "button", class: "primary", onclick: () => element.close() }, t("common.done")),
    ),
  );
  showDialog(element);
}

function toggleFullScreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen().catch(() => undefined);
}

/** The name of a language in itself. */
function nameOf(tag: string): string {
  return new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
}

/** The settings of language, graphics and camera. */
function displaySection(settings: SettingsStore): HTMLElement {
  const { select, range, check } = controls(settings);
  return h(
    "section",
    null,
    row(
      t("settings.language"),
      select("language", [
        ["", t("settings.languageAuto")],
        ...LANGUAGES.map((l) => [l, nameOf(l)] as const),
      ]),
      t("settings.languageNote"),
    ),
    h("h3", null, t("settings.graphics")),
    row(
      t("settings.quality"),
      select("quality", [
        ["auto", t("settings.qualityValue.auto")],
        ["low", t("settings.qualityValue.low")],
        ["medium", t("settings.qualityValue.medium")],
        ["high", t("settings.qualityValue.high")],
      ]),
      t("settings.qualityNote"),
    ),
    row(
      t("settings.bars"),
      select("bars", [
        ["hurt", t("settings.barsValue.hurt")],
        ["all", t("settings.barsValue.all")],
        ["selected", t("settings.barsValue.selected")],
      ]),
    ),
    row(t("settings.relations"), check("relations"), t("settings.relationsNote")),
    row(t("settings.scale"), range("scale", 0.75, 1.6, 0.05)),
    row(t("settings.reducedMotion"), check("reducedMotion")),
    row(
      t("settings.dataLimit"),
      select(
        "bytesPerS",
        DATA_LIMITS.map((n) => [
          n,
          n === 0 ? t("settings.dataLimitNone") : t("settings.dataLimitValue", { kilobytes: n / 1000 }),
        ]),
      ),
      t("settings.dataLimitNote"),
    ),
    row(t("settings.damage"), check("damage")),
    row(t("settings.gather"), check("gather"), t("settings.gatherNote")),
    row(t("settings.coach"), check("coach"), t("settings.coachNote")),
    h("h3", null, t("settings.camera")),
    row(
      t("settings.edgeScroll"),
      select("edgeScroll", [
        ["fullscreen", t("settings.edgeScrollValue.fullscreen")],
        ["always", t("settings.edgeScrollValue.always")],
        ["never", t("settings.edgeScrollValue.never")],
      ]),
    ),
    row(t("settings.panSpeed"), range("panSpeed", 6, 80, 2)),
  );
}

/** The mixer. */
function soundSection(settings: SettingsStore): HTMLElement {
  const volume = (bus: (typeof BUSES)[number] | "master") =>
    h("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 0.05,
      value: String(settings.value.volumes[bus]),
      "data-volume": bus,
      oninput: (e: Event) =>
        settings.change({
          volumes: { ...settings.value.volumes, [bus]: Number((e.target as HTMLInputElement).value) },
        }),
    });
  return h(
    "section",
    null,
    h("h3", null, t("settings.sound")),
    (["master", ...BUSES] as const).map((bus) =>
      row(t(`settings.volumes.${bus}`), volume(bus), bus === "alerts" ? t("settings.volumeNote") : ""),
    ),
    row(t("settings.muteHidden"), controls(settings).check("muteHidden")),
  );
}

const row = (words: string, control: HTMLElement, note = ""): HTMLElement =>
  h(
    "label",
    { class: "setting" },
    h("span", null, words, note ? h("small", { class: "dim" }, note) : null),
    control,
  );

/** Controls that show one setting and change it at once. */
function controls(settings: SettingsStore) {
  const set = (part: Partial<Settings>) => settings.change(part);
  return {
    select: <K extends keyof Settings>(key: K, options: readonly (readonly [Settings[K], string])[]) =>
      h(
        "select",
        {
          "data-setting": key,
          onchange: (e: Event) => {
            const i = (e.target as HTMLSelectElement).selectedIndex;
            set({ [key]: options[i][0] } as Partial<Settings>);
          },
        },
        options.map(([v, words]) =>
          h("option", { value: String(v), selected: settings.value[key] === v }, words),
        ),
      ),
    range: (key: "scale" | "panSpeed", min: number, max: number, step: number) =>
      h("input", {
        type: "range",
        min,
        max,
        step,
        value: String(settings.value[key]),
        oninput: (e: Event) =>
          set({ [key]: Number((e.target as HTMLInputElement).value) } as Partial<Settings>),
      }),
    check: (key: "relations" | "reducedMotion" | "damage" | "gather" | "coach" | "muteHidden") =>
      h("input", {
        type: "checkbox",
        checked: settings.value[key],
        onchange: (e: Event) => set({ [key]: (e.target as HTMLInputElement).checked } as Partial<Settings>),
      }),
  };
}
