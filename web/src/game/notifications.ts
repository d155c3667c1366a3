// Shows what happens in the match: alerts, chat, pings, players who come and
// go, and the sounds of what happens near the camera.

import { FLAG, type Handle, type MatchVotes, typeOf, type WorldEvent } from "@fogkeep/client";
import { DANGER, GOOD, PINGS } from "../draw/palette";
import type { EdgeArrows } from "../hud/arrows";
import { isOther } from "../hud/hud";
import type { Minimap } from "../hud/minimap";
import { rejectText, signatureName, soundName, typeName } from "../text/names";
import { t, textOf } from "../text/text";
import { type Alert, Alerts } from "./alerts";
import { attackedText } from "./attacked";
import { type GameContext, type Said, showsGround } from "./context";
import type { AlertKind, Shooter } from "./voices";
import { pollText, questionText } from "./votes";

/** How an alert is shown, other than an announcement of news. */
interface Manner {
  /** Also when its place is on the screen. */
  readonly always?: true;
  /** The mark at the edge of the screen and on the minimap; without one a danger has its own. */
  readonly mark?: { readonly color: string; readonly emblem?: number };
  readonly sound?: AlertKind;
}

/** So many lines of chat are kept for reports. */
const SAID_MAX = 100;

/** From so far away a sound is as quiet as it gets. */
const HEARD_TILES = 64;

export class Notifications {
  private readonly alerts = new Alerts();
  /** The questions to the players, as the chat has them. */
  private polls: MatchVotes["polls"] = [];
  private readonly offs: (() => void)[] = [];
  private readonly spot = { x: 0, y: 0 };
  /** The lines of alerts, which may have gone. */
  private readonly rows = new WeakMap<Alert, HTMLElement>();
  /** The entity of the last shot that was heard, and its time. */
  private readonly shotHeard = { id: 0, ms: 0 };
  /** Own finished structures with an amount, which is how far their capture is, and whether that was announced. */
  private readonly besieged = new Map<Handle, { amount: number; told: boolean }>();

  constructor(
    private readonly context: GameContext,
    private readonly minimap: Minimap,
    private readonly arrows: EdgeArrows,
    /** Whether alerts are shown: a replay has marks of what happened in its bar. */
    private readonly alarms: boolean,
    /** Reports the player of a line; absent: this page reports none. */
    report?: (of: Said) => void,
  ) {
    const { match } = context;
    const { events } = match.state;
    this.offs.push(
      events.on("attacked", (e) => this.attacked(e.x / 1024, e.y / 1024, e.target)),
      events.on("heard", (e) => this.heard(e.what, e.x / 1024, e.y / 1024)),
      events.on("contact", ({ what, x, y }) => {
        const signature = signatureName(match.info.rules.signatures[what] ?? "");
        this.hint(`contact-${what}`, t("alert.contact", { signature }), x / 1024, y / 1024);
      }),
      events.on("trained", (e) => {
        this.finished(`trained-${e.what}`, t("alert.trained", { type: this.typeTitle(e.what) }), e, "ready");
      }),
      events.on("built", (e) => {
        this.finished(`built-${e.what}`, t("alert.built", { type: this.typeTitle(e.what) }), e, "built");
      }),
      events.on("shot", (e) => {
        // Missed shots that are drawn at once as their unit leaves sight are one sound.
        const now = performance.now();
        if (e.id === this.shotHeard.id && now === this.shotHeard.ms) return;
        this.shotHeard.id = e.id;
        this.shotHeard.ms = now;
        const p = this.context.renderer.entities.place(e.slot);
        this.playShot(p.x, p.z, match.info.rules.weapons[e.weapon]);
      }),
      events.on("leave", (e) => {
        if (e.why !== "dead") return;
        const p = this.context.renderer.entities.place(e.slot);
        this.playShot(p.x, p.z, "blast");
      }),
      events.on("owner", (e) => this.handedOver(e.id, e.slot, e.was)),
      match.events.on("frame", () => this.watchCaptures()),
      events.on("chat", (c) => {
        const p = match.info.players[c.slot];
        // A message without a player is the server's.
        if (!p) {
          this.context.hud.announce(c.text);
          return;
        }
        const line = { slot: c.slot, tick: match.state.tick, text: c.text };
        if (this.context.said.push(line) > SAID_MAX) this.context.said.shift();
        const color = this.context.renderer.colors.hexOf(c.slot);
        this.context.hud.say(
          p.name,
          color,
          c.text,
          c.all,
          report && isOther(match.info, p) ? () => report(line) : undefined,
        );
      }),
      events.on("handed", ({ slot, back, units: count }) => {
        const name = match.info.players[slot]?.name ?? t("alert.ally");
        const whose = slot === match.info.slot ? "own" : "ally";
        const what = back && count === 0 ? "nothing" : back ? "back" : "over";
        this.context.hud.alert(t(`alert.handed.${whose}.${what}`, { name, count }), "info", () => undefined);
      }),
      match.events.on("votes", (now) => this.voted(now)),
      events.on("ping", (p) => {
        const x = p.x / 1024;
        const z = p.y / 1024;
        this.minimap.ping(x, z, PINGS[p.kind].color, PINGS[p.kind].emblem);
        if (p.slot === match.info.slot && !match.info.spectator) return;
        const name = match.info.players[p.slot]?.name ?? t("alert.ally");
        this.notify(
          `ping-${p.slot}-${p.kind}`,
          t(`alert.ping.${p.kind}`, { name }),
          p.kind !== "look",
          x,
          z,
          { always: true, mark: PINGS[p.kind], sound: "ping" },
        );
      }),
      events.on("cancelled", (c) => {
        const code = match.info.rules.codes[c.code] ?? "";
        if (this.context.selection.handles.has(c.unit)) this.context.hud.refuse(rejectText(code));
      }),
      events.on("taken", ({ player, was }) => {
        if (player.slot !== match.info.slot)
          this.context.hud.alert(t("alert.takenOver", { name: player.name, was }), "info", () => undefined);
      }),
      events.on("player", (p) => {
        // All players join in the first seconds and leave after the end: that is not shown.
        if (match.state.result || !this.alarms) return;
        if (p.slot === match.info.slot && p.state === "defeated") {
          this.context.hud.setBanner(t("alert.defeated"));
          return;
        }
        if (p.state === "playing" && match.state.tick * match.info.tickMs < 10_000) return;
        if (p.slot !== match.info.slot)
          this.context.hud.alert(t(`alert.player.${p.state}`, { name: p.name }), "info", () => undefined);
      }),
    );
  }

  /** Moves the camera to the last alert, then to the one before. */
  goToLastAlert(): void {
    const a = this.alerts.previous();
    if (a) this.context.renderer.camera.go(a.x, a.z);
  }

  dispose(): void {
    for (const off of this.offs) off();
  }

  private attacked(x: number, z: number, target: Handle): void {
    const { state } = this.context.match;
    const slot = state.world.slot(target);
    const name = state.info.players[state.world.owner[slot]]?.name;
    const base = slot >= 0 && typeOf(state.info.rules, state.world.type[slot]).class === "structure";
    const sound = base ? "base" : "danger";
    this.notify(
      base ? "attacked-base" : "attacked",
      t(attackedText(state, slot), { name }),
      true,
      x,
      z,
      { sound },
      target,
    );
  }

  /** A sound of something unseen: a ripple on the minimap, and a noise from its direction. */
  private heard(what: number, x: number, z: number): void {
    this.minimap.sound(x, z);
    const { camera } = this.context.renderer;
    const far = Math.hypot(x - camera.focusX, z - camera.focusZ);
    this.context.sound.shot(
      "blast",
      (x - camera.focusX) / Math.max(1, far),
      Math.min(0.95, far / HEARD_TILES),
    );
    const sound = soundName(this.context.match.info.rules.sounds[what] ?? "");
    this.hint(`heard-${what}`, t("alert.heard", { sound }), x, z);
  }

  /** A line about something unseen, seldom of one kind. */
  private hint(kind: string, sentence: string, x: number, z: number): void {
    if (!this.alarms || !this.alerts.add(kind, sentence, false, x, z, performance.now(), () => false)) return;
    this.context.hud.alert(sentence, "info", () => this.context.renderer.camera.go(x, z));
    this.context.sound.alert("contact");
  }

  /** Writes the beginning and the end of a vote into the chat, and shows why an own vote had no effect. */
  private voted(now: MatchVotes): void {
    const { match, hud } = this.context;
    for (const p of now.polls) {
      const was = this.polls.find((q) => q.kind === p.kind && q.slot === p.slot && q.by === p.by);
      if (was?.result !== p.result) hud.announce(pollText(match.info, p));
    }
    for (const p of this.polls) // after a restart of the server, or a time without a connection
      if (
        p.result === "open" &&
        !now.polls.some((q) => q.kind === p.kind && q.slot === p.slot && q.by === p.by)
      )
        hud.announce(t("votes.ended", { question: questionText(match.info, p) }));
    this.polls = now.polls;
    const refused = now.refused && textOf(`votes.refused.${now.refused}`);
    if (refused) hud.alert(refused, "info", () => undefined);
  }

  /** Something of the player's went to another, or the other way round. */
  private handedOver(id: Handle, slot: number, was: number): void {
    const { state } = this.context.match;
    const { players, rules } = state.info;
    const now = state.relation(slot) === "own";
    const team = [state.relation(slot), state.relationOf(was)];
    if (!team.includes("own") || team.includes("ally")) return; // of a hand-over to a team-mate the event `handed` tells
    const type = typeName(typeOf(rules, state.world.type[slot]).name);
    const name = players[now ? was : state.world.owner[slot]]?.name;
    const kind = now ? "gained" : "lost";
    this.notify(
      `${kind}-${id}`,
      name ? t(now ? "alert.gainedFrom" : "alert.lostTo", { type, name }) : t(`alert.${kind}`, { type }),
      !now,
      state.world.posX(slot) / 1024,
      state.world.posY(slot) / 1024,
      { always: true, mark: { color: now ? GOOD : DANGER }, sound: now ? "gained" : "taken" },
    );
  }

  /** Announces each own structure whose capture begins. */
  private watchCaptures(): void {
    const { state } = this.context.match;
    const { world, info } = state;
    for (const id of this.besieged.keys()) {
      const s = world.slot(id);
      if (s < 0 || world.amount[s] === 0 || state.relation(s) !== "own") this.besieged.delete(id);
    }
    for (let s = 0; s < world.high; s++) {
      if (world.amount[s] === 0 || world.ids[s] === 0) continue;
      const type = typeOf(info.rules, world.type[s]);
      if (type.class !== "structure" || world.flags[s] & FLAG.building || state.relation(s) !== "own")
        continue;
      const amount = world.amount[s];
      const was = this.besieged.get(world.ids[s]);
      this.besieged.set(world.ids[s], was ?? { amount, told: false });
      // The amount of a structure that is just finished falls to 0 a moment later.
      if (!was || was.told || amount <= was.amount) continue;
      was.told = true;
      const sentence = t("alert.capture", { type: typeName(type.name) });
      this.notify("capture", sentence, true, world.posX(s) / 1024, world.posY(s) / 1024, {
        sound: "capture",
      });
    }
  }

  /** Only the player's own units and structures are announced. */
  private finished(kind: string, sentence: string, e: WorldEvent, sound: AlertKind): void {
    const { state } = this.context.match;
    const slot = state.world.slot(e.target || e.source);
    if (slot < 0 || state.relation(slot) !== "own") return;
    this.notify(kind, sentence, false, e.x / 1024, e.y / 1024, { sound }, e.target || e.source);
  }

  private notify(
    kind: string,
    sentence: string,
    danger: boolean,
    x: number,
    z: number,
    {
      always,
      mark = danger ? { color: DANGER } : undefined,
      sound = danger ? "danger" : "ready",
    }: Manner = {},
    /** An entity of the event, for the number in the alert's line; 0: no entity. */
    concerned: Handle = 0,
  ): void {
    if (!this.alarms && sound !== "ping") return;
    const now = performance.now();
    const shows = () => !always && showsGround(this.context, x, z, this.spot);
    const alert = this.alerts.add(kind, sentence, danger, x, z, now, shows, concerned);
    const { again } = this.alerts;
    const row = again && this.rows.get(again);
    if (row && again.concerned.size > 1)
      row.textContent = t("alert.times", { sentence: again.text, count: again.concerned.size });
    if (!alert) return;
    const go = () => this.context.renderer.camera.go(x, z);
    this.rows.set(alert, this.context.hud.alert(sentence, danger ? "danger" : "info", go));
    if (mark) this.arrows.show(x, z, sentence, mark, now, go);
    if (mark && sound !== "ping") this.minimap.ping(x, z, mark.color);
    this.context.sound.alert(sound);
  }

  /** The sound of a shot, or of a blast, on the ground at a place. */
  private playShot(x: number, z: number, by: Shooter): void {
    const { sound } = this.context;
    const { camera } = this.context.renderer;
    const reach = camera.height * 0.9;
    const far = Math.hypot(x - camera.focusX, z - camera.focusZ) / reach;
    const pan = (x - camera.focusX) / (reach * 0.6);
    if (far < 1) sound.shot(by, pan, far);
  }

  private typeTitle(id: number): string {
    return typeName(typeOf(this.context.match.info.rules, id).name);
  }
}
