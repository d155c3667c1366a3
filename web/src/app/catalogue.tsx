// The replays that all their players share, with a search, the matches that can be watched now, and the choice of the
// player's own sharing.

import type { Catalogue, Lobby, Me } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { optionValue } from "../text/names";
import { t } from "../text/text";
import { lengthOf } from "./holders";
import { waysInto } from "./lobbyview";
import { useMaps } from "./maps";
import { openDialog } from "./mount";
import type { Navigation } from "./navigation";
import { api } from "./server";
import { ErrorLine, useWork } from "./work";

type Shown = Catalogue["replays"][number];
type Sharing = Me["sharing"];

const SHARINGS: readonly Sharing[] = ["name", "profile", "replays"];
/** The shortest length of a search, in seconds. */
const LENGTHS = [0, 300, 900, 1800];
const RATINGS = [0, 1000, 1500, 2000];

export function catalogueDialog(nav: Navigation): void {
  openDialog(t("catalogue.title"), "catalogue", (close) => <Replays nav={nav} close={close} />);
}

function Replays({ nav, close }: { nav: Navigation; close: () => void }) {
  const { maps } = useMaps();
  const { busy, error, run } = useWork();
  const player = useSignal("");
  const map = useSignal("");
  const minSeconds = useSignal(0);
  const minRating = useSignal(0);
  const rows = useSignal<readonly Shown[]>([]);
  const next = useSignal<number | undefined>(undefined);
  const live = useSignal<readonly Lobby[]>([]);
  const read = (before?: number) =>
    run(async () => {
      const page = await api.catalogue({
        player: player.value.trim() || undefined,
        map: map.value || undefined,
        minSeconds: minSeconds.value || undefined,
        minRating: minRating.value || undefined,
        before,
      });
      rows.value = before ? [...rows.value, ...page.replays] : page.replays;
      next.value = page.next;
    });
  useEffect(() => {
    void read();
    void run(async () => {
      const { lobbies } = await api.listLobbies({ state: "playing", public: true });
      live.value = lobbies.filter((l) => waysInto(l).watch);
    });
  }, []);
  return (
    <>
      <h2>{t("catalogue.title")}</h2>
      {live.value.length > 0 ? <h3>{t("catalogue.live")}</h3> : null}
      <ul class="played">
        {live.value.map((l) => (
          <li key={l.id} class="row">
            <span class="grow">
              <b>{l.name}</b> <span class="dim">{l.map.name}</span>
            </span>
            <span class="dim">{t("catalogue.delay", { count: l.options.spectatorDelay })}</span>
            <button
              type="button"
              class="ghost-button"
              data-do="watch-live"
              onClick={() => {
                close();
                void nav.join(l.id, false, true);
              }}
            >
              {t("home.watch")}
            </button>
          </li>
        ))}
      </ul>
      <form
        class="row wrap"
        onSubmit={(e) => {
          e.preventDefault();
          void read();
        }}
      >
        <input
          type="search"
          data-field="catalogue-player"
          placeholder={t("catalogue.player")}
          aria-label={t("catalogue.player")}
          value={player}
          onInput={(e) => {
            player.value = e.currentTarget.value;
          }}
        />
        <select
          aria-label={t("catalogue.map")}
          value={map}
          onChange={(e) => {
            map.value = e.currentTarget.value;
          }}
        >
          <option value="">{t("catalogue.anyMap")}</option>
          {maps.map((m) => (
            <option key={m.id} value={m.id}>
              {m.name}
            </option>
          ))}
        </select>
        <Least
          label={t("catalogue.length")}
          choices={LENGTHS}
          chosen={minSeconds}
          words={(n) => t("catalogue.minutes", { count: n / 60 })}
        />
        <Least
          label={t("catalogue.rating")}
          choices={RATINGS}
          chosen={minRating}
          words={(n) => t("catalogue.rated", { count: n })}
        />
        <button type="submit" data-do="catalogue-search" disabled={busy}>
          {t("catalogue.search")}
        </button>
      </form>
      <ErrorLine text={error.value} />
      {rows.value.length === 0 && !next.value ? <p class="empty">{t("catalogue.none")}</p> : null}
      <ul class="played" data-list="catalogue">
        {rows.value.map((r) => (
          <li key={r.matchId}>
            <span>{r.players.map((p) => p.name).join(" · ")}</span>
            <span class="dim">
              {[
                t("account.onMap", { map: r.map.name }),
                optionValue("mode", r.mode, r.mode),
                lengthOf(r.seconds),
                ...(r.rating > 0 ? [String(r.rating)] : []),
              ].join(" · ")}
            </span>
            <span class="row">
              <span class="dim grow">{r.ended ? new Date(r.ended).toLocaleDateString() : ""}</span>
              <button
                type="button"
                class="ghost-button"
                data-do="replay"
                disabled={r.unavailable !== ""}
                onClick={() => {
                  close();
                  void nav.watchReplay({ match: r.matchId });
                }}
              >
                {t("account.replay")}
              </button>
            </span>
          </li>
        ))}
      </ul>
      <OwnSharing />
      <div class="row end">
        {next.value ? (
          <button type="button" disabled={busy} onClick={() => void read(next.value)}>
            {t("catalogue.more")}
          </button>
        ) : null}
        <span class="grow" />
        <button type="button" onClick={close}>
          {t("common.done")}
        </button>
      </div>
    </>
  );
}

/** The choice of a least value; 0: any. */
function Least(props: {
  label: string;
  choices: readonly number[];
  chosen: { value: number };
  words(n: number): string;
}) {
  const { label, choices, chosen, words } = props;
  return (
    <select
      aria-label={label}
      value={chosen.value}
      onChange={(e) => {
        chosen.value = Number(e.currentTarget.value);
      }}
    >
      {choices.map((n) => (
        <option key={n} value={n}>
          {n === 0 ? label : words(n)}
        </option>
      ))}
    </select>
  );
}

/** The sight that others have of the player's account. */
function OwnSharing() {
  const sharing = useSignal<Sharing | null>(null);
  const { error, run } = useWork();
  useEffect(() => {
    void run(async () => {
      sharing.value = (await api.me()).sharing;
    });
  }, []);
  if (!sharing.value) return <ErrorLine text={error.value} />;
  return (
    <>
      <label class="field">
        <span>{t("catalogue.sharing")}</span>
        <select
          data-field="sharing"
          value={sharing.value}
          onChange={(e) => {
            const chosen = e.currentTarget.value as Sharing;
            void run(async () => {
              await api.share({ sharing: chosen });
              sharing.value = chosen;
            });
          }}
        >
          {SHARINGS.map((s) => (
            <option key={s} value={s}>
              {t(`catalogue.share.${s}`)}
            </option>
          ))}
        </select>
      </label>
      <p class="dim">{t("catalogue.sharingNote")}</p>
      <ErrorLine text={error.value} />
    </>
  );
}
