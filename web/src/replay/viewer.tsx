// The viewer of a replay: its additions to a match on the page.
//
//	keys, bar ──► ReplayModel ──► Replay ──► server
//	                   │
//	camera, difference ◄──── state of each frame

import { ALL_TEAMS, type Replay, type Team, typeOf } from "@fogkeep/client";
import { effect } from "@preact/signals";
import { render } from "preact";
import type { Addition, AdditionParts } from "../game/addition";
import { focusField } from "../game/context";
import { type Action, keyLabel, replayActionOf } from "../input/hotkeys";
import { radiusOf } from "../render/models";
import { colorBytes, DECAL } from "../render/sprites";
import { t } from "../text/text";
import { showView } from "../ui/dialog";
import { h } from "../ui/dom";
import { Bar, Sight } from "./bar";
import { Help, Share, type Sharing } from "./dialogs";
import { Difference } from "./difference";
import { Graphs } from "./graphs";
import { type ReplayLink, writeLink } from "./link";
import { JUMP_MS, ReplayModel } from "./model";
import { Tables } from "./tables";

export interface ViewerOptions {
  readonly replay: Replay;
  /** The requests of the link by which it was opened; null: no link opens it. */
  readonly link: ReplayLink | null;
  readonly sharing: Sharing | null;
  /** The key of links, if everyone with the link may watch. */
  key(): string | undefined;
  /** The address of links, before the #. */
  address(): string;
  /** A lobby in which the match goes on from a tick; absent: it may not be made. */
  branch?: (tick: number) => void;
  leave(): void;
}

/** The camera tells how far around it one sees by this share of its height: game.ts. */
const RADIUS_SHARE = 0.7;
/** A user who moves the camera by more than this is not following any more, tiles. */
const MOVED_TILES = 0.6;
/** Pages narrower than this begin without a table. */
const WIDE_PX = 1000;
/** Pages narrower than this show a table or graphs, not both. */
const BOTH_PX = 1240;
/** The hint of how to show the interface again is shown so long. */
const HINT_MS = 4000;
/** Without a distance in the link, an event is shown from at most this distance. */
const EVENT_DISTANCE = 34;

export class Viewer implements Addition {
  readonly model: ReplayModel;
  readonly panels: readonly HTMLElement[];
  private readonly bar = h("section", { class: "panel replay-bar", "aria-label": t("replay.bar") });
  private readonly sight = h("section", {
    class: "panel watch replay-sight",
    "aria-label": t("replay.title"),
  });
  private readonly side = h("div", { class: "replay-side" });
  private readonly said = h("p", { class: "unseen", role: "status", "aria-live": "polite" });
  private readonly hint = h("p", { class: "replay-hint panel", hidden: true });
  private readonly offs: (() => void)[] = [];
  private other: Replay | null = null;
  private opening: Team | null = null;
  private difference: Difference | null = null;
  /** Where following has set the camera. */
  private set = { x: Number.NaN, z: Number.NaN, distance: Number.NaN };
  private placed = false;
  /** The eyes are others with the next snapshot. */
  private turned = false;
  private readonly abort = new AbortController();

  constructor(
    private readonly parts: AdditionParts,
    private readonly options: ViewerOptions,
  ) {
    const { replay, link } = options;
    const { context, root } = parts;
    const { hud, renderer, settings } = context;
    this.model = new ReplayModel(replay, {
      against: (team) => this.compare(team),
      narrow: () => innerWidth < BOTH_PX,
      table: innerWidth < WIDE_PX || innerHeight < 640 ? "none" : replay.info.live ? "army" : "economy",
    });
    const { model } = this;
    const colorOf = (owner: number) => renderer.colors.hexOf(owner);
    const keys = () => settings.bindings;
    render(
      <Bar
        model={model}
        colorOf={colorOf}
        keys={keys}
        branch={options.branch ? () => this.branch() : undefined}
        hasLink={options.link !== null}
        leave={options.leave}
      />,
      this.bar,
    );
    render(<Sight model={model} colorOf={colorOf} keys={keys} />, this.sight);
    render(
      <>
        <Tables model={model} colorOf={colorOf} />
        <Graphs model={model} colorOf={colorOf} />
      </>,
      this.side,
    );
    hud.addTop(this.sight);
    hud.left.append(this.side);
    hud.bottom.append(this.bar);
    root.append(this.said, this.hint);
    root.classList.add("replay");
    this.panels = [this.bar, this.sight, this.side];
    model.arrived = (e) => {
      if (!e.at || model.follow.peek() >= 0) return;
      const { camera } = renderer;
      camera.go(e.at.x + 0.5, e.at.y + 1.5);
      camera.distance = Math.min(camera.distance, EVENT_DISTANCE);
    };
    this.offs.push(
      effect(() => {
        this.said.textContent = model.said.value;
      }),
      effect(() => this.hide(model.hidden.value)),
      effect(() => {
        if (model.help.value)
          showView(
            t("replay.helpTitle"),
            "replay-help",
            (close) => <Help keys={keys()} teams={model.teams.length} close={close} />,
            () => {
              model.help.value = false;
              focusField(context);
            },
            root,
          );
      }),
      effect(() => {
        if (link && model.share.value) this.share(link);
      }),
      replay.events.on("eyes", () => {
        this.turned = true;
      }),
      replay.match.state.events.on("reset", () => this.reset()),
    );
    if (link?.eyes?.against !== undefined) void model.choose(link.eyes);
  }

  dispose(): void {
    this.abort.abort();
    for (const off of this.offs) off();
    this.showDifference(null);
    this.other?.leave();
    this.model.dispose();
    for (const element of [this.bar, this.sight, this.side]) render(null, element);
    this.parts.root.classList.remove("replay", "bare");
  }

  keyDown(e: KeyboardEvent): boolean {
    if (e.ctrlKey || e.metaKey || e.altKey) return false;
    const { model } = this;
    const { bindings } = this.parts.context.settings;
    if (/^Digit[0-9]$/.test(e.code)) {
      const n = Number(e.code.slice(5));
      const team = n === 0 ? ALL_TEAMS : model.teams[n - 1];
      if (team !== undefined && !e.repeat) void model.look(team);
      return true;
    }
    const action = replayActionOf(bindings, e.code);
    if (action) {
      if (!e.repeat || REPEATS.has(action)) this.act(action);
      return true;
    }
    if (bindings.pause.includes(e.code)) model.toggle();
    else if (bindings.faster.includes(e.code)) model.stepSpeed(1);
    else if (bindings.slower.includes(e.code)) model.stepSpeed(-1);
    else if (bindings.cancel.includes(e.code) && model.hidden.peek()) model.hidden.value = false;
    else return false;
    return true;
  }

  private act(action: Action): void {
    const { model } = this;
    const acts: Partial<Record<Action, () => unknown>> = {
      replayPlay: () => model.toggle(),
      replayStepBack: () => model.step(-1),
      replayStepOn: () => model.step(1),
      replayBack: () => model.jump(-JUMP_MS),
      replayOn: () => model.jump(JUMP_MS),
      replayPrevious: () => model.goToEvent(-1),
      replayNext: () => model.goToEvent(1),
      replayDifference: () => model.toggleDifference(),
      replayFollow: () => model.followNext(),
      replayTable: () => model.nextTable(),
      replayGraphs: () => model.toggleGraphs(),
      replayLink: () => this.options.link && this.copyLink(this.options.link),
      replayHide: () => {
        model.hidden.value = !model.hidden.peek();
      },
      replayHelp: () => {
        model.help.value = true;
      },
    };
    acts[action]?.();
  }

  update(): void {
    this.model.update();
    this.follow();
    if (!this.difference) return;
    this.difference.update();
    this.model.counts.value = this.difference.compared.counts;
  }

  frame(): void {
    if (this.placed) return;
    // The place of the link, once there is something to look at.
    const { link } = this.options;
    this.placed = true;
    if (link?.x === undefined || link.y === undefined) return;
    this.parts.context.renderer.camera.jump(link.x + 0.5, link.y + 0.5);
  }

  /** In a difference: rings around what only one of the two sees, in that team's colour. */
  readonly draw: Addition["draw"] = (decals, _billboards, ground) => {
    const { difference, other } = this;
    if (!difference || !other) return;
    const { renderer } = this.parts.context;
    const states = [this.options.replay.match.state, other.match.state];
    states.forEach(({ world, info }, k) => {
      const color = colorBytes(this.colorOfTeam(this.model.pair.peek()[k]));
      for (const slot of difference.compared.alone[k]) {
        const at = k === 0 ? renderer.entities.place(slot) : renderer.placeBeside(slot);
        if (!at) continue;
        const { x, z } = at;
        const r = radiusOf(typeOf(info.rules, world.type[slot])) * 1.35 + 0.12;
        decals.push(DECAL.dashed, x, ground.floor(x, z), z, r, 0.16, color, 1);
      }
    });
  };

  private colorOfTeam(team: Team): string {
    const { info } = this.options.replay.match;
    return this.parts.context.renderer.colors.hexOf(info.players.find((p) => p.team === team)?.slot ?? 0);
  }

  /** Opens the second connection with a team's eyes, or closes it. */
  private async compare(team: Team | null): Promise<void> {
    this.opening = team;
    if (team === null) {
      this.showDifference(null);
      this.other?.leave();
      this.other = null;
      this.model.counts.value = null;
      return;
    }
    if (this.other) await this.other.setEyes(team);
    else {
      const other = await this.options.replay.beside(team, { signal: this.abort.signal });
      if (this.opening === null || this.other) {
        other.leave(); // it is not wanted any more
        return;
      }
      this.other = other;
    }
    if (this.opening === team) this.showDifference(this.other);
  }

  private showDifference(other: Replay | null): void {
    const { renderer } = this.parts.context;
    const { minimap } = this.parts;
    this.difference?.dispose();
    this.difference = null;
    if (!other) {
      renderer.showBeside(null);
      minimap.mask = this.options.replay.match.state.mask;
      minimap.tint = null;
      minimap.also = null;
      return;
    }
    const [a, b] = this.model.pair.peek();
    const { state } = other.match;
    const colors = [this.colorOfTeam(a), this.colorOfTeam(b)] as const;
    const difference = new Difference(this.options.replay.match.state, state, colors);
    const only = (slot: number) => difference.compared.alone[1].has(slot);
    this.difference = difference;
    renderer.showBeside({ state, mask: difference.mask, tint: difference.texture, only });
    minimap.mask = difference.mask;
    minimap.tint = difference.canvas;
    minimap.also = (list) => {
      const { world, info } = state;
      for (const s of difference.compared.alone[1])
        list(world.posX(s) / 1024, world.posY(s) / 1024, typeOf(info.rules, world.type[s]), world.owner[s]);
    };
  }

  /** After a seek or a change of eyes no drawn place eases from its old one. */
  private reset(): void {
    if (this.turned) this.lookAtTeam();
    this.options.replay.match.state.fire.skip();
    this.difference?.update();
    this.parts.context.renderer.snap();
  }

  /** With the eyes of a team that does not know the shown place: goes to its own units. */
  private lookAtTeam(): void {
    this.turned = false;
    const { state } = this.options.replay.match;
    const { camera } = this.parts.context.renderer;
    const { world, info, mask } = state;
    if (mask.exploredAt(Math.floor(camera.x), Math.floor(camera.z))) return;
    for (let s = 0; s < world.high; s++) {
      if (world.ids[s] === 0 || info.players[world.owner[s]]?.team !== info.team) continue;
      if (typeOf(info.rules, world.type[s]).class !== "structure") continue;
      camera.go(world.posX(s) / 1024, world.posY(s) / 1024 + 1.5);
      return;
    }
  }

  /** Keeps the camera where the followed player's was; a viewer who moves it follows no longer. */
  private follow(): void {
    const { model, options } = this;
    const { camera } = this.parts.context.renderer;
    const slot = model.follow.peek();
    if (slot < 0) {
      this.set.x = Number.NaN;
      return;
    }
    const moved = Math.hypot(camera.x - this.set.x, camera.z - this.set.z) > MOVED_TILES;
    if (!Number.isNaN(this.set.x) && moved) {
      this.set.x = Number.NaN;
      model.followCamera(-1);
      return;
    }
    const told = options.replay.cameras.get(slot);
    if (!told) return;
    camera.go(told.x + 0.5, told.y + 0.5);
    camera.distance = Math.max(14, Math.min(70, told.radius / RADIUS_SHARE));
    this.set = { x: camera.x, z: camera.z, distance: camera.distance };
  }

  private hide(hidden: boolean): void {
    const { root } = this.parts;
    root.classList.toggle("bare", hidden);
    const key = this.parts.context.settings.bindings.replayHide[0];
    this.hint.hidden = !hidden;
    if (!hidden) return;
    this.hint.textContent = t("replay.hiddenHint", { key: key ? keyLabel(key) : "Esc" });
    setTimeout(() => {
      this.hint.hidden = true;
    }, HINT_MS);
    focusField(this.parts.context);
  }

  /** The address that opens the present view. */
  private link(opened: ReplayLink): string {
    const { model, options, parts } = this;
    const { camera } = parts.context.renderer;
    const to: ReplayLink = {
      match: opened.match,
      key: options.key(),
      tick: model.shown.peek(),
      eyes: model.eyes.peek(),
      x: camera.x,
      y: camera.z,
    };
    return this.options.address() + writeLink(to);
  }

  private share(opened: ReplayLink): void {
    const { model, options, parts } = this;
    showView(
      t("replay.linkTitle"),
      "replay-share",
      (close) => (
        <Share
          link={() => this.link(opened)}
          time={model.timeOf(model.shown.peek())}
          sharing={options.sharing}
          copy={copy}
          close={close}
        />
      ),
      () => {
        model.share.value = false;
        focusField(parts.context);
      },
      parts.root,
    );
  }

  private async copyLink(opened: ReplayLink): Promise<void> {
    if (!(await copy(this.link(opened)))) {
      this.model.share.value = true;
      return;
    }
    this.model.say(t("replay.copied"));
    this.parts.context.hud.alert(t("replay.copied"), "info", () => undefined);
  }

  private branch(): void {
    const { model, options } = this;
    options.replay.pause();
    options.branch?.(model.shown.peek());
  }
}

/** Keys that act again while they are held. */
const REPEATS: ReadonlySet<Action> = new Set<Action>([
  "replayStepBack",
  "replayStepOn",
  "replayBack",
  "replayOn",
]);

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // without permission, or on a page without TLS
  }
}
