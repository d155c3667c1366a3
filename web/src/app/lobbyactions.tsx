// The buttons of a lobby: which there are for this player in this state.

import { useSignal } from "@preact/signals";
import { t } from "../text/text";
import { StyleSelect } from "./choices";
import type { LobbyModel } from "./lobbymodel";
import { type LobbyView, nextLevel } from "./lobbyview";
import { OptionSelect } from "./optionfields";
import { type BotLevel, LEVELS, type Level, skillNamed, skillOf } from "./skill";

/** The names of the actions, in the order of their buttons. Tests find a button by its name, `data-do`. */
export type Action =
  | "ready"
  | "start"
  | "configure"
  | "cancel-start"
  | "again"
  | "enter"
  | "replay"
  | "ask-start"
  | "ask-settings"
  | "leave";

/** The player's possible actions now. The first is the most likely, and stands out. */
export function actionsFor({ lobby, host, open, seat, ended }: LobbyView): Action[] {
  const actions: Action[] = [];
  if (open && seat && !host) actions.push("ready");
  if (open && host) actions.push("start", "configure");
  if (open && seat && !host && lobby.options.votes === "lobby") actions.push("ask-start", "ask-settings");
  if (lobby.state === "starting" && host) actions.push("cancel-start");
  if (lobby.state === "ended" && host) actions.push("again");
  if (lobby.state === "playing" && !ended && !lobby.waiting) actions.push("enter");
  if (lobby.state === "ended" && lobby.matchId && lobby.options.replays !== "off") actions.push("replay");
  return [...actions, "leave"];
}

export function LobbyButtons({ model, configure }: { model: LobbyModel; configure: () => void }) {
  const view = model.view.value;
  const { seat, spectates } = view;
  const act: Record<Action, { words: string; run: () => void }> = {
    ready: {
      words: seat?.ready ? t("lobby.ready") : t("lobby.readyUp"),
      run: () => model.ready(!seat?.ready),
    },
    start: { words: t("lobby.start"), run: () => model.start() },
    configure: { words: t("lobby.edit"), run: configure },
    "ask-start": { words: t("lobby.askStart"), run: () => model.ask({ kind: "start" }) },
    "ask-settings": { words: t("lobby.askSettings"), run: configure },
    "cancel-start": { words: t("lobby.cancelStart"), run: () => model.cancelStart() },
    again: { words: t("lobby.again"), run: () => model.playAgain() },
    enter: {
      words: spectates ? t("lobby.watchMatch") : t("lobby.rejoinMatch"),
      run: () => model.enterMatch(),
    },
    replay: {
      words: t("lobby.replay"),
      run: () => void model.nav.watchReplay({ match: model.lobby.peek().matchId ?? "" }),
    },
    leave: { words: t("common.leave"), run: () => model.leave() },
  };
  return (
    <div class="lobby-actions">
      {actionsFor(view).map((name) => (
        <button
          key={name}
          type="button"
          data-do={name}
          class={classOf(name, seat?.ready === true)}
          aria-pressed={name === "ready" ? seat?.ready === true : undefined}
          onClick={act[name].run}
        >
          {act[name].words}
        </button>
      ))}
    </div>
  );
}

function classOf(name: Action, ready: boolean): string | undefined {
  if (name === "ready") return ready ? "on" : "primary";
  return name === "start" || name === "again" || name === "enter" ? "primary" : undefined;
}

/** The host limits the bytes of the running match, for everybody. */
export function DataLimit({ model }: { model: LobbyModel }) {
  const { lobby, host, ended } = model.view.value;
  if (!host || ended || lobby.state !== "playing") return null;
  return (
    <div class="row wrap data-limit">
      <OptionSelect
        name="bytesPerS"
        value={lobby.options.bytesPerS}
        change={(v) => model.limitBytes(Number(v))}
      />
      <p class="dim">{t("lobby.dataLimitNote")}</p>
    </div>
  );
}

/** The host puts a bot of a level into a free seat. */
export function AddBot({ model }: { model: LobbyModel }) {
  const { lobby, host, open } = model.view.value;
  const chosen = useSignal<BotLevel | null>(null);
  if (!host || !open || !lobby.seats.some((s) => s.kind === "open")) return null;
  const level = chosen.value ?? nextLevel(lobby);
  return (
    <div class="row add-bot">
      <LevelSelect
        label={t("play.level")}
        styleLabel={t("play.style")}
        value={level}
        change={(l) => {
          chosen.value = l;
        }}
      />
      <button type="button" data-do="add-bot" onClick={() => model.addBot(level)}>
        {t("lobby.addBot")}
      </button>
    </div>
  );
}

interface LevelSelectProps {
  label: string;
  styleLabel: string;
  value: BotLevel;
  change: (level: BotLevel) => void;
}

/** The choice of a bot's level and style. */
export function LevelSelect({ label, styleLabel, value, change }: LevelSelectProps) {
  const { level, style } = skillOf(value) ?? { level: "medium", style: "balanced" };
  return (
    <>
      <select
        class="level"
        aria-label={label}
        value={level}
        onChange={(e) => change(skillNamed(e.currentTarget.value as Level, style))}
      >
        {LEVELS.map((l) => (
          <option key={l} value={l}>
            {t(`level.${l}.name`)}
          </option>
        ))}
      </select>
      <StyleSelect label={styleLabel} value={style} change={(s) => change(skillNamed(level, s))} />
    </>
  );
}
