// Shows the connection's state: bars for its quality, and a banner when it has
// been lost for a second. The field is grey until frames come again.

import type { Match, Status } from "@fogkeep/client";
import type { Hud } from "../hud/hud";
import { errorText } from "../text/names";
import { t } from "../text/text";

/** A loss shorter than this is not shown. */
const QUIET_MS = 1000;
/** Without a frame for so long the connection is fair, then poor. At least one comes each second. */
const FAIR_MS = 1400;
const POOR_MS = 2500;

export class ConnectionStatus {
  private status: Status = "live";
  private lostMs = 0;
  private retryAtMs = 0;
  private shown = false;
  private readonly off: () => void;

  constructor(
    private readonly match: Match,
    private readonly hud: Hud,
    private readonly canvas: HTMLElement,
    private readonly leave: () => void,
  ) {
    this.off = match.events.on("status", (s) => {
      const now = performance.now();
      if (this.status === "resuming" && s.now === "live") this.back(now);
      if (s.now === "resuming") {
        if (this.status !== "resuming") this.lostMs = now;
        this.retryAtMs = now + (s.retryInMs ?? 0);
      }
      this.status = s.now;
      if (s.now === "closed") this.closed(s.error);
      else this.update(now);
    });
  }

  dispose(): void {
    this.off();
  }

  /** Called ten times a second. */
  update(nowMs: number): void {
    if (this.status === "ended") return; // the server sends nothing then
    const silentMs = nowMs - this.match.lastFrameMs;
    const lost = this.status === "resuming";
    this.hud.connection(lost ? 0 : silentMs > POOR_MS ? 1 : silentMs > FAIR_MS ? 2 : 3);
    if (this.status === "closed") return;
    const show = lost && nowMs - this.lostMs > QUIET_MS;
    if (show) this.hud.setBanner(words(this.retryAtMs - nowMs, this.match.unanswered));
    else if (this.shown) this.hud.setBanner(null);
    if (show !== this.shown) this.canvas.classList.toggle("frozen", show);
    this.shown = show;
  }

  /** Frames come again. A page that was too busy to draw the banner says at least that. */
  private back(nowMs: number): void {
    if (nowMs - this.lostMs > QUIET_MS) this.hud.alert(t("connection.back"), "info", () => undefined);
  }

  private closed(error: Error | undefined): void {
    this.canvas.classList.add("frozen");
    this.hud.setBanner(error ? errorText(error) : t("connection.closed"), {
      words: t("connection.toLobby"),
      run: this.leave,
    });
  }
}

/** The text on the banner of a lost connection. */
export function words(retryInMs: number, held: number): string {
  const said = [t("connection.lost")];
  if (retryInMs > 900) said.push(t("connection.retryIn", { seconds: Math.ceil(retryInMs / 1000) }));
  if (held > 0) said.push(t("connection.held", { count: held }));
  return said.join(" ");
}
