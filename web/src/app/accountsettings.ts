// The settings of an account are kept on the server too, and follow it from device
// to device. The newest win. Without a connection the browser's own are used, and
// are sent when there is one again.

import { DEVICE_SETTINGS, type SettingsStore, settingsOf } from "../game/settings";

/** The server's copy: the settings without the device's own, and the time of their change. */
type Kept = { [key: string]: unknown };

export interface SettingsApi {
  accountSettings(): Promise<Kept>;
  saveAccountSettings(body: Kept): Promise<void>;
}

/** Changes within this time are sent together. */
const SEND_MS = 2000;

export class AccountSettings {
  /** The account that is logged in, or "". */
  private account = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The time of the changes that the server has. */
  private keptMs = 0;
  /** The server's settings are being taken: that is not a change of this page. */
  private taking = false;

  constructor(
    private readonly store: SettingsStore,
    private readonly api: SettingsApi,
  ) {
    store.on(() => {
      if (!this.taking) this.sendSoon();
    });
  }

  /** An account logged in: the settings become its own. */
  async loggedIn(account: string): Promise<void> {
    if (this.account === account) return;
    this.account = account;
    const before = this.store.owner;
    let kept: Kept;
    try {
      kept = await this.api.accountSettings();
    } catch {
      this.account = ""; // asked again with the next log-in or page
      return;
    }
    if (this.account !== account) return;
    this.store.belongTo(account);
    this.keptMs = typeof kept.changedMs === "number" ? kept.changedMs : 0;
    // Another account's settings give way to this account's.
    const others = before !== "" && before !== account;
    if (this.keptMs > this.store.changedMs || (others && this.keptMs > 0)) this.take(kept);
    else this.sendSoon();
  }

  loggedOut(): void {
    this.account = "";
    clearTimeout(this.timer);
  }

  private take(kept: Kept): void {
    const { value } = this.store;
    const own = Object.fromEntries(DEVICE_SETTINGS.map((key) => [key, value[key]]));
    this.taking = true;
    this.store.take({ ...settingsOf(kept), ...own }, this.keptMs);
    this.taking = false;
  }

  private sendSoon(): void {
    clearTimeout(this.timer);
    if (this.account === "" || this.store.changedMs <= this.keptMs) return;
    this.timer = setTimeout(() => void this.send(), SEND_MS);
  }

  private async send(): Promise<void> {
    const { value, changedMs } = this.store;
    const kept: Kept = { ...value, changedMs };
    for (const key of DEVICE_SETTINGS) delete kept[key];
    try {
      await this.api.saveAccountSettings(kept);
      this.keptMs = changedMs;
    } catch {
      // They are newer than the server's: sent with the next change or page.
    }
  }
}
