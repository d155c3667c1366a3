// The keyboard's layout: which letter is printed on which key. Commands are
// bound to positions (`KeyboardEvent.code`), players read letters. Chromium
// reports the layout; in other browsers it is learned from the keys that are
// pressed, and stored.

const KEY = "fogkeep.letters";
const CODE = /^(Key[A-Z]|Digit\d|[A-Z][A-Za-z]{2,15})$/;

export class KeyboardLayout {
  private readonly map = new Map<string, string>();

  constructor(private readonly storage?: Pick<Storage, "getItem" | "setItem">) {
    let raw: unknown;
    try {
      raw = JSON.parse(storage?.getItem(KEY) ?? "{}");
    } catch {
      return; // nothing is stored, or the page may not read it
    }
    if (typeof raw !== "object" || raw === null) return;
    for (const [code, letter] of Object.entries(raw).slice(0, 120)) this.take(code, letter);
  }

  /** The letter on a key, upper case, or undefined while it is not known. */
  get(code: string): string | undefined {
    return this.map.get(code);
  }

  /** Asks the browser, if it reports layouts. */
  async ask(keyboard = (globalThis.navigator as Asked | undefined)?.keyboard): Promise<void> {
    try {
      for (const [code, letter] of (await keyboard?.getLayoutMap()) ?? []) this.take(code, letter);
    } catch {
      // It may refuse, for example in a frame of another page.
    }
  }

  /** Learns from a key that was pressed. */
  learn(e: {
    code: string;
    key: string;
    ctrlKey: boolean;
    altKey: boolean;
    metaKey: boolean;
    shiftKey: boolean;
  }): void {
    if (e.ctrlKey || e.altKey || e.metaKey || e.shiftKey) return;
    if (!/^(Key|Bracket|Semicolon|Quote|Comma|Period|Slash|Backslash|Minus|Equal|Intl)/.test(e.code)) return;
    if (this.map.get(e.code) === e.key.toUpperCase() || !this.take(e.code, e.key)) return;
    try {
      this.storage?.setItem(KEY, JSON.stringify(Object.fromEntries(this.map)));
    } catch {
      // Known as long as the page is open.
    }
  }

  private take(code: string, letter: unknown): boolean {
    // One printed character: not a dead key, not a key's name.
    if (!CODE.test(code) || typeof letter !== "string" || [...letter].length !== 1 || !letter.trim())
      return false;
    this.map.set(code, letter.toUpperCase());
    return true;
  }
}

interface Asked {
  keyboard?: { getLayoutMap(): Promise<Iterable<[string, string]>> };
}

/** The layout of this page's keyboard. */
export const layout = new KeyboardLayout(typeof localStorage === "undefined" ? undefined : localStorage);
