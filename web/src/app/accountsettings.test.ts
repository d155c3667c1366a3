import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SettingsStore } from "../game/settings";
import { AccountSettings } from "./accountsettings";

/** A browser: its storage outlives pages. */
class Browser {
  private readonly kept = new Map<string, string>();
  getItem = (k: string) => this.kept.get(k) ?? null;
  setItem = (k: string, v: string) => void this.kept.set(k, v);
}

/** The server, with the settings of each account. */
class Server {
  readonly accounts = new Map<string, { [key: string]: unknown }>();
  saves = 0;
  down = false;
  of(account: string) {
    const up = () => {
      if (this.down) throw new Error("unreachable");
    };
    return {
      accountSettings: async () => {
        up();
        return structuredClone(this.accounts.get(account) ?? {});
      },
      saveAccountSettings: async (body: { [key: string]: unknown }) => {
        up();
        this.saves++;
        this.accounts.set(account, structuredClone(body));
      },
    };
  }
}

describe("settings of an account", () => {
  let server: Server;
  let now: number;
  beforeEach(() => {
    vi.useFakeTimers();
    server = new Server();
    now = 1000;
  });
  afterEach(() => vi.useRealTimers());

  /** A page in a browser with a logged-in account. */
  async function page(browser: Browser, account: string) {
    const store = new SettingsStore(browser, () => ++now);
    const sync = new AccountSettings(store, server.of(account));
    await sync.loggedIn(account);
    return { store, sync };
  }
  const sent = () => vi.advanceTimersByTimeAsync(3000);

  it("follow it to another device, but for those of the device", async () => {
    const home = await page(new Browser(), "ada");
    home.store.change({ panSpeed: 60, quality: "high", scale: 1.4 });
    home.store.change({ language: "de" });
    await sent();
    expect(server.saves).toBe(1);
    const phone = await page(new Browser(), "ada");
    expect(phone.store.value).toMatchObject({ panSpeed: 60, language: "de", quality: "auto", scale: 1 });
    await sent();
    expect(server.saves).toBe(1);
  });

  it("are the newest of both, also of changes that were made without a connection", async () => {
    const home = new Browser();
    const phone = new Browser();
    const first = await page(home, "ada");
    first.store.change({ panSpeed: 40 });
    await sent();
    const away = await page(phone, "ada");
    server.down = true;
    away.store.change({ panSpeed: 50 });
    await sent();
    expect(server.accounts.get("ada")).toMatchObject({ panSpeed: 40 });
    // A page without a connection keeps the browser's copy.
    expect((await page(phone, "ada")).store.value.panSpeed).toBe(50);
    server.down = false;
    await page(phone, "ada");
    await sent();
    expect(server.accounts.get("ada")).toMatchObject({ panSpeed: 50 });
    expect((await page(home, "ada")).store.value.panSpeed).toBe(50);
  });

  it("of a browser's last account are not given to the next one that has its own", async () => {
    const browser = new Browser();
    const ada = await page(new Browser(), "ada");
    ada.store.change({ panSpeed: 70 });
    await sent();
    const guest = await page(browser, "guest");
    guest.store.change({ panSpeed: 10 });
    await sent();
    guest.sync.loggedOut();
    expect((await page(browser, "ada")).store.value.panSpeed).toBe(70);
    await sent();
    expect(server.accounts.get("ada")).toMatchObject({ panSpeed: 70 });
  });

  it("that were made before the first log-in become the account's", async () => {
    const browser = new Browser();
    new SettingsStore(browser, () => ++now).change({ panSpeed: 30 });
    await page(browser, "ada");
    await sent();
    expect(server.accounts.get("ada")).toMatchObject({ panSpeed: 30 });
  });

  it("that are nonsense are not taken", async () => {
    server.accounts.set("ada", { changedMs: 9e12, panSpeed: "fast", volumes: [], language: "<b>" });
    const { store } = await page(new Browser(), "ada");
    expect(store.value).toMatchObject({ panSpeed: 24, language: "" });
    expect(store.value.volumes.master).toBe(0.5);
  });
});
