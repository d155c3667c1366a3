// Resources, players, alerts, chat, texts at the cursor, and the banner.

import type { MatchInfo, MatchState, PlayerInfo } from "@fogkeep/client";
import { packAssets } from "../draw/pack";
import { factionName, modeValueName, resourceName, sidedName } from "../text/names";
import { t } from "../text/text";
import { emblem, fill, h, ICONS, icon, text } from "../ui/dom";

/** How near the pointer comes before a hint gives way, page pixels. */
const ASIDE_PX = 60;

/** How long a refusal is shown. */
const REFUSAL_MS = 3000;
/** Of more players the emblems are shown, with names to point at. */
const NAMED_PLAYERS = 8;
/** Of more players the faction is read by pointing. */
const FACTION_PLAYERS = 4;

/** Whether scores decide the match: in skirmish they do at a time limit alone, in missions never. */
export const scoresCount = (info: MatchInfo): boolean =>
  !packAssets.goals.has(info.mode) && (info.mode !== "skirmish" || info.timeLimitTicks > 0);

/** Whether a player is another person than the one at this page. */
export const isOther = (info: MatchInfo, p: PlayerInfo): boolean =>
  !p.bot && (info.spectator || p.slot !== info.slot);

/** The players of each team, by rising number. */
function byTeam(players: readonly PlayerInfo[]): PlayerInfo[][] {
  const teams = [...new Set(players.map((p) => p.team))].sort((a, b) => a - b);
  return teams.map((team) => players.filter((p) => p.team === team));
}

export class Hud {
  readonly element = h("div", { class: "hud-root" });
  /** Over the field, not scaled with the panels: texts at the cursor, arrows, the ping wheel. */
  readonly overlay = h("div", { class: "overlay" });
  private readonly panels = h("div", { class: "hud" });
  /** At the top edge, one below the other: the bar, a spectator's choices, the banner, the left column. */
  private readonly head = h("div", { class: "hud-head" });
  /** The alerts at the left. */
  readonly left = h("div", { class: "hud-left" });
  /** At the bottom edge, one below the other: chat, hints, the panels. */
  private readonly foot = h("div", { class: "hud-foot" });
  readonly bottom = h("div", { class: "hud-bottom" });
  private readonly resources = h("div", {
    class: "panel resources",
    role: "group",
    "aria-label": t("hud.resources"),
  });
  private readonly players = h("div", {
    class: "panel players",
    role: "group",
    "aria-label": t("hud.players"),
  });
  private readonly clock = h("span", { class: "num clock" });
  private readonly alerts = h("div", {
    class: "alerts",
    role: "log",
    "aria-live": "polite",
    "aria-label": t("hud.alerts"),
  });
  private readonly chat = h("div", {
    class: "chat",
    role: "log",
    "aria-live": "polite",
    "aria-label": t("chat.title"),
  });
  private readonly banner = h("div", { class: "banner", role: "status", hidden: true });
  private readonly mode = h("div", { class: "mode-hint", role: "status", hidden: true });
  private readonly words = h("div", { class: "words", "aria-live": "polite" });
  private readonly link = h("span", { class: "link", title: t("hud.link.good") }, h("i"), h("i"), h("i"));
  readonly menuButton = h(
    "button",
    { type: "button", class: "ghost-button", "aria-label": t("hud.menu") },
    t("common.menu"),
  );
  /** Shown on phones alone. */
  private readonly drawerButton = h(
    "button",
    {
      type: "button",
      class: "ghost-button drawer-button",
      "aria-expanded": "false",
      "aria-label": t("hud.drawer"),
    },
    icon(ICONS.more),
  );
  /** Elements with buttons, for moving the focus by key. */
  readonly focusable: readonly HTMLElement[] = [this.alerts, this.menuButton];
  /** The texts over the field that are shown now. */
  private refusalTimer: ReturnType<typeof setTimeout> | undefined;
  private resourcesShown = "";
  private playersShown = "";

  constructor(
    private readonly state: MatchState,
    private readonly colorOf: (owner: number) => string,
  ) {
    this.left.append(this.alerts);
    this.head.append(
      h(
        "div",
        { class: "hud-top" },
        this.players,
        h("div", { class: "hud-right" }, this.resources, this.drawerButton, this.menuButton),
      ),
      this.banner,
      this.left,
    );
    this.drawerButton.onclick = () => {
      const open = this.panels.classList.toggle("drawer-open");
      this.drawerButton.ariaExpanded = String(open);
    };
    this.bottom.append(this.mode, this.words);
    this.foot.append(this.chat, this.bottom);
    this.panels.append(this.head, this.foot);
    this.element.append(this.panels, this.overlay);
  }

  update(): void {
    const { own, info, tick, endTick } = this.state;
    const seconds = Math.floor(((endTick ?? tick) * info.tickMs) / 1000);
    text(this.clock, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
    const key = JSON.stringify([own.resources, own.population, own.populationMax]);
    if (key !== this.resourcesShown) {
      this.resourcesShown = key;
      fill(
        this.resources,
        (info.spectator ? [] : info.rules.resources).map((name, k) =>
          h(
            "span",
            { class: "resource", title: resourceName(name) },
            h("i", { class: `dot dot-${k}` }),
            h("span", { class: "num" }, own.resources[k] ?? 0),
            h("span", { class: "dim" }, resourceName(name)),
          ),
        ),
        own.populationMax > 0
          ? h(
              "span",
              {
                class: `resource${own.population >= own.populationMax ? " full" : ""}`,
                title: t("hud.population"),
              },
              h("span", { class: "num" }, `${own.population} / ${own.populationMax}`),
              h("span", { class: "dim" }, t("hud.units")),
            )
          : null,
        this.clock,
        this.link,
      );
    }
    // After the end all players leave: their states are not shown.
    const over = this.state.result !== null;
    const scored = scoresCount(info);
    const who = JSON.stringify([
      over,
      info.players.map((p) => [p.name, p.state, scored && p.score, p.values, this.colorOf(p.slot)]),
    ]);
    if (who !== this.playersShown) {
      this.playersShown = who;
      const many = info.players.length > NAMED_PLAYERS;
      this.players.classList.toggle("many", many);
      const teams = byTeam(info.players);
      const marks = teams.some((team) => team.length > 1);
      fill(
        this.players,
        (marks ? teams : [info.players]).map((of) => [
          marks ? h("span", { class: "dim team" }, t("common.teamNumber", { team: of[0].team + 1 })) : null,
          of.map((p) =>
            h(
              "span",
              {
                class: `player ${over ? "" : p.state}${p.slot === info.slot ? " self" : ""}`,
                title:
                  many || p.faction || p.handicap
                    ? `${sidedName(p.name, p)}, ${t("common.teamNumber", { team: p.team + 1 })}`
                    : null,
              },
              emblem(this.colorOf(p.slot), p.color),
              h("span", { class: "name" }, p.name),
              p.faction && info.players.length <= FACTION_PLAYERS
                ? h("span", { class: "dim faction" }, factionName(p.faction))
                : null,
              p.handicap ? h("span", { class: "dim handicap" }, "±") : null,
              scored && p.score !== null
                ? h("span", { class: "num score", title: t("hud.score") }, p.score)
                : null,
              // A mission's are in a list of their own.
              (packAssets.goals.has(info.mode) ? [] : Object.entries(p.values)).map(([name, value]) =>
                h("span", { class: "num score" }, `${modeValueName(name)} ${value}`),
              ),
              p.slot === info.slot && !info.spectator ? h("span", { class: "dim" }, t("common.you")) : null,
              !over && p.state !== "playing" ? h("span", { class: "dim" }, t(`hud.player.${p.state}`)) : null,
            ),
          ),
        ]),
      );
    }
  }

  /** Shows the connection's quality in three bars. */
  connection(steps: 0 | 1 | 2 | 3): void {
    this.link.dataset.steps = String(steps);
    const quality = (["lost", "poor", "fair", "good"] as const)[steps];
    this.link.title = t(`hud.link.${quality}`);
  }

  alert(sentence: string, kind: "danger" | "info", go: () => void): HTMLElement {
    const row = h("button", { type: "button", class: `alert ${kind}`, onclick: go }, sentence);
    this.alerts.prepend(row);
    while (this.alerts.children.length > 4) this.alerts.lastChild?.remove();
    setTimeout(() => row.classList.add("old"), 6000);
    setTimeout(() => row.remove(), 9000);
    return row;
  }

  /** A line of chat; `report` reports its player, by a click on the name. */
  say(name: string, color: string, line: string, all: boolean, report?: () => void): void {
    const style = `color:${color}`;
    const title = t("common.report");
    this.line(
      12_000,
      h("span", { class: "dim" }, `${t(all ? "chat.all" : "chat.team")} `),
      report
        ? h(
            "button",
            { type: "button", class: "chat-name", style, title, "data-do": "report-line", onclick: report },
            name,
          )
        : h("b", { style }, name),
      ` ${line}`,
    );
  }

  /** An announcement of the server; shown longer than chat. */
  announce(line: string): void {
    this.line(30_000, h("b", { class: "server" }, t("common.server")), ` ${line}`);
  }

  private line(lifeMs: number, ...words: (Node | string)[]): void {
    const row = h("div", { class: "chat-line" }, ...words);
    this.chat.append(row);
    while (this.chat.children.length > 8) this.chat.firstChild?.remove();
    setTimeout(() => row.classList.add("old"), lifeMs);
  }

  /** Shows above the command card why something cannot be done. The last reason replaces the one before. */
  refuse(sentence: string): void {
    fill(this.words, h("span", { class: "word" }, sentence));
    clearTimeout(this.refusalTimer);
    this.refusalTimer = setTimeout(() => fill(this.words), REFUSAL_MS);
  }

  /** The banner in the middle of the page, with a button if there is one thing to do. */
  setBanner(sentence: string | null, button?: { words: string; run: () => void }): void {
    this.banner.hidden = sentence === null;
    if (sentence === null) return;
    if (!button) text(this.banner, sentence);
    else
      fill(
        this.banner,
        h("span", null, sentence),
        h("button", { type: "button", class: "primary", onclick: button.run }, button.words),
      );
  }

  /** Says what target a command waits for; null without a waiting command. */
  setMode(sentence: string | null, cancel?: () => void): void {
    this.mode.hidden = sentence === null;
    if (sentence === null) return;
    fill(
      this.mode,
      h("span", null, sentence),
      cancel
        ? h(
            "button",
            { type: "button", "data-do": "cancel-command", onclick: cancel },
            t("hud.cancelCommand"),
          )
        : null,
    );
  }

  /** Lets the hint of a waiting command fade where the pointer is: the click's effect is seen there. */
  giveWay(pointer: { x: number; y: number } | null): void {
    const box = this.mode.getBoundingClientRect();
    const near =
      pointer !== null &&
      pointer.x > box.left - ASIDE_PX &&
      pointer.x < box.right + ASIDE_PX &&
      pointer.y > box.top - ASIDE_PX &&
      pointer.y < box.bottom + ASIDE_PX;
    this.mode.classList.toggle("aside", near);
  }

  /** Shows the coach in the bar at the top: beside it the field is free. */
  showCoach(element: HTMLElement): void {
    this.players.after(element);
  }

  /** Adds a panel below the bar at the top. */
  addTop(panel: HTMLElement): void {
    this.banner.before(panel);
  }

  /** Adds a panel of another part of the page. */
  add(panel: HTMLElement): void {
    this.panels.append(panel);
  }

  /** Opens the input line for chat; calls back with the text. */
  openChat(all: boolean, say: (line: string) => void): void {
    if (this.panels.querySelector(".chat-entry")) return;
    const label = t(all ? "chat.sayAll" : "chat.sayTeam");
    const input = h("input", { type: "text", maxLength: 200, placeholder: label, "aria-label": label });
    const form = h(
      "form",
      {
        class: "chat-entry panel",
        onsubmit: (e: Event) => {
          e.preventDefault();
          const line = input.value.trim();
          close();
          if (line) say(line);
        },
        onkeydown: (e: KeyboardEvent) => {
          e.stopPropagation();
          if (e.key === "Escape") close();
        },
      },
      input,
    );
    let open = true;
    // Removing the form blurs its input, which calls this again.
    const close = () => {
      if (!open) return;
      open = false;
      form.remove();
    };
    input.addEventListener("blur", close);
    this.foot.insertBefore(form, this.bottom);
    input.focus();
  }
}
