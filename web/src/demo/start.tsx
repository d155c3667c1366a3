// The first screen of the demo, and its dialog: which map, how many bots and how good they are.

import { type Signal, useSignal } from "@preact/signals";
import { LevelChoice, MapChoice } from "../app/choices";
import { openDialog, screen } from "../app/mount";
import type { Screen } from "../app/navigation";
import { matchPart, menuPart, replayPart } from "../app/parts";
import type { BotLevel } from "../app/skill";
import { errorText } from "../text/names";
import { t } from "../text/text";
import { ErrorLine, useWorkWith } from "../ui/work";
import type { Choice, DemoMap } from "./api";
import { Saves, type SaveWays } from "./saves";

export interface StartWays extends SaveWays {
  /** The maps of the dialog; they are read while the person looks at the screen. */
  readonly maps: Promise<DemoMap[]>;
  play(choice: Choice): Promise<void>;
}

export const startScreen = (ways: StartWays): Screen => screen("title", <Title ways={ways} />);

function Title({ ways }: { ways: StartWays }) {
  const { busy, error, run } = useWorkWith(errorText);
  const open = () =>
    run(async () => {
      // The rest of the page, too: from here on it needs no network.
      const [maps] = await Promise.all([
        ways.maps,
        matchPart(),
        menuPart(),
        replayPart(),
        import("./inspect"),
      ]);
      openDialog(t("title.playBot"), "play", (close) => <Play ways={ways} maps={maps} close={close} />);
    });
  return (
    <div class="title-words">
      <h1 class="logo">fogkeep</h1>
      <p class="lead">{t("demo.lead")}</p>
      <button type="button" class="primary big" data-do="play-bot" disabled={busy.value} onClick={open}>
        {t("title.playBot")}
      </button>
      <p class="dim" role="status">
        {busy.value ? t("demo.loading") : t("demo.note")}
      </p>
      <ErrorLine text={error.value} />
      <Saves ways={ways} />
    </div>
  );
}

interface PlayProps {
  ways: StartWays;
  maps: DemoMap[];
  close: () => void;
}

function Play({ ways, maps, close }: PlayProps) {
  const { busy, error, run } = useWorkWith(errorText);
  const chosen = useSignal("");
  const level = useSignal<BotLevel>("easy");
  const bots = useSignal(1);
  const map = maps.find((m) => m.id === chosen.value) ?? maps[0];
  const most = map.starts - 1;
  const start = async () => {
    await ways.play({
      map: map.id,
      bots: Math.min(bots.value, most),
      level: level.value,
      name: t("demo.you"),
    });
    close();
  };
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        void run(start);
      }}
    >
      <h2>{t("title.playBot")}</h2>
      <MapChoice maps={maps} chosen={chosen} load={ways.local.fetchMap} />
      <Bots bots={bots} most={most} />
      <LevelChoice level={level} />
      <ErrorLine text={error.value} />
      <div class="row end">
        <button type="button" onClick={close}>
          {t("common.cancel")}
        </button>
        <button type="submit" class="primary" data-do="start-bot" disabled={busy.value}>
          {t("play.start")}
        </button>
      </div>
    </form>
  );
}

function Bots({ bots, most }: { bots: Signal<number>; most: number }) {
  return (
    <label class="field" for="demo-bots">
      <span>{t("demo.bots")}</span>
      <select
        id="demo-bots"
        value={String(Math.min(bots.value, most))}
        onChange={(e) => {
          bots.value = Number(e.currentTarget.value);
        }}
      >
        {Array.from({ length: most }, (_, i) => String(i + 1)).map((n) => (
          <option key={n} value={n}>
            {n}
          </option>
        ))}
      </select>
    </label>
  );
}
