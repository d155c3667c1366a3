// The matches that the browser keeps: the match to go on with, and the finished matches.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { skillText } from "../app/skill";
import { errorText } from "../text/names";
import { language, t } from "../text/text";
import { ErrorLine, useWorkWith } from "../ui/work";
import type { Local, Save } from "./api";

export interface SaveWays {
  readonly local: Local;
  saves(): Promise<Save[]>;
  resume(): Promise<void>;
  watch(id: string): Promise<void>;
  inspect(id: string): Promise<void>;
}

const MEGABYTE = 1e6;

export function Saves({ ways }: { ways: SaveWays }) {
  const { busy, error, run } = useWorkWith(errorText);
  const all = useSignal<readonly Save[]>([]);
  const read = async () => {
    all.value = await ways.saves();
  };
  useEffect(() => {
    void run(read);
  }, []);
  const open = all.value.find((s) => !s.over && s.map);
  const past = all.value.filter((s) => s !== open);
  const bytes = all.value.reduce((sum, s) => sum + s.bytes, 0);
  const remove = (s: Save) =>
    run(async () => {
      await ways.local.remove(s.id);
      await read();
    });
  const button = (
    what: string,
    s: Save,
    words: string,
    act: () => Promise<unknown>,
    look = "ghost-button",
  ) => (
    <button
      type="button"
      class={look}
      data-do={what}
      data-save={s.id}
      disabled={busy.value}
      onClick={() => run(act)}
    >
      {words}
    </button>
  );
  const line = (s: Save) => (
    <li key={s.id}>
      <span>
        {s.map ? facts(s) : t("demo.unreadable")} <small class="dim">{when(s)}</small>
      </span>
      {s === open && button("continue", s, t("demo.continue"), ways.resume, "primary")}
      {s.map && s !== open && button("watch-save", s, t("demo.watch"), () => ways.watch(s.id))}
      {s.map && button("inspect-save", s, t("demo.inspect"), () => ways.inspect(s.id))}
      <button
        type="button"
        class="ghost-button"
        data-do="delete-save"
        data-save={s.id}
        disabled={busy.value}
        onClick={() => remove(s)}
      >
        {t("demo.delete")}
      </button>
    </li>
  );
  const { storage } = ways.local;
  return (
    <section class="demo-saves" aria-label={t("demo.matches")}>
      {storage.value && (
        <p class="dim" data-storage={storage.value}>
          {t(`demo.storage.${storage.value}`)}
          {bytes > 0 &&
            ` ${t("demo.kept", { count: all.value.length, megabytes: (bytes / MEGABYTE).toFixed(1) })}`}
        </p>
      )}
      <ErrorLine text={error.value} />
      <ul>
        {open && line(open)}
        {past.map(line)}
      </ul>
    </section>
  );
}

function facts(s: Save): string {
  const { map, bots, level } = s;
  const time = `${Math.floor(s.seconds / 60)}:${String(s.seconds % 60).padStart(2, "0")}`;
  const end = s.over ? t(s.won ? "demo.won" : "demo.notWon") : t("demo.open");
  return `${map}, ${t("demo.against", { count: bots, level: skillText(level) })}, ${time}, ${end}`;
}

const when = (s: Save): string =>
  new Date(s.started).toLocaleString(language(), { dateStyle: "short", timeStyle: "short" });
