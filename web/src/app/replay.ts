// Opens replays: asks for permission, connects, and shows the match with the
// viewer; or a screen that says why not.

import type { Match, PlayerInfo, Progress, ReplayFacts } from "@fogkeep/client";
import type { Said } from "../game/context";
import { Game } from "../game/game";
import type { SettingsStore } from "../game/settings";
import { usePack } from "../pack/use";
import { type ReplayLink, writeLink } from "../replay/link";
import { Viewer } from "../replay/viewer";
import { t } from "../text/text";
import { askLogins, sharedAddress } from "./identity";
import { loadingScreen } from "./loading";
import { matchMenu } from "./menu";
import type { Navigation } from "./navigation";
import { replayScreen } from "./replayscreen";
import type { ReplayStage } from "./replaystage";
import { api, server } from "./server";

type Nav = Navigation & {
  readonly settings: SettingsStore;
  /** Opens the dialog that reports a player of a match; `of` is a line of chat, `key` the replay's. */
  report(match: Match, said: readonly Said[], of?: Said, key?: string): void;
};

/** Shows a match from its journal; a screen or a line says why if that cannot be. */
export async function watchReplay(nav: Nav, stage: ReplayStage, link: ReplayLink): Promise<void> {
  const before = stage.playing();
  const from = stage.lobby();
  const loading = loadingScreen();
  loading.say(t("loading.replay"));
  let facts: ReplayFacts | undefined;
  try {
    facts = await server.replayFacts(link.match, link.key);
    if (facts.unavailable) {
      if (before) nav.toast(t(`replay.unavailable.${facts.unavailable}`));
      else offerReplay(nav, stage, link, facts);
      return;
    }
    if (!before) stage.show(loading);
    const replay = await server.openReplay(link.match, {
      key: link.key,
      progress: (what: Progress, players?: readonly PlayerInfo[]) =>
        loading.say(t(`loading.${what}`), players),
      tick: link.tick,
      eyes: link.eyes?.team,
      paused: link.tick === undefined ? undefined : true,
    });
    await usePack(replay.match.info);
    const shared: Pick<ReplayFacts, "access" | "key"> = { access: facts.access, key: facts.key };
    const leave = () => {
      stage.end();
      stage.leave(from);
    };
    const choose = async (access: ReplayFacts["access"]) => {
      Object.assign(shared, await api.replayAccess(link.match, { access }));
      return shared.access;
    };
    const { mayShare, mayBranch } = facts;
    const branch = (tick: number) =>
      void nav.attempt(async () => {
        const lobby = await api.playOn(link.match, { tick, key: link.key });
        stage.end();
        nav.showLobby(lobby);
      });
    history.replaceState(null, "", writeLink(link));
    askLogins();
    stage.begin(
      replay,
      () =>
        new Game({
          match: replay.match,
          root: stage.root,
          settings: nav.settings,
          menu: (game) => matchMenu(nav.settings, game, replay.match, leave),
          leave,
          report: (said, of) => nav.report(replay.match, said, of, link.key),
          eyes: () => undefined,
          addition: (parts) =>
            new Viewer(parts, {
              replay,
              link,
              key: () =>
                shared.access === "link" || shared.access === "listed" ? (shared.key ?? link.key) : undefined,
              address: () => sharedAddress(),
              sharing: { access: shared.access, choose: mayShare ? choose : undefined },
              branch: mayBranch ? branch : undefined,
              leave,
            }),
        }),
    );
  } catch (err) {
    if (before && stage.playing() === before) nav.toast(err);
    else offerReplay(nav, stage, link, facts, err);
  }
}

/** Shows what match a link is to, and why it cannot be watched if that is so. */
export function offerReplay(
  nav: Nav,
  stage: ReplayStage,
  link: ReplayLink,
  facts?: ReplayFacts,
  why?: unknown,
): void {
  stage.end();
  history.replaceState(null, "", writeLink(link));
  stage.show(replayScreen(nav, { facts: facts ?? null, why, watch: () => watchReplay(nav, stage, link) }));
}
