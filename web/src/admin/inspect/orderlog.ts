// The log of orders: one page after another, by a filter.

import { signal } from "@preact/signals";
import { sentence } from "../words";
import { Latest } from "./latest";
import type { OrderPage, OrderQuestion, OrderRow } from "./shapes";

/** The search; absent: all orders. */
export interface OrderFilter {
  readonly slot?: number;
  readonly kind?: string;
  readonly code?: string;
  readonly unit?: number;
  /** Refused orders alone. */
  readonly refused?: boolean;
}

const PAGE = 200;

export class OrderLog {
  readonly filter = signal<OrderFilter>({});
  readonly rows = signal<readonly OrderRow[]>([]);
  /** The first tick of the rows. */
  readonly from = signal(0);
  readonly error = signal<string | null>(null);
  readonly loading = signal(false);
  /** Whether there are more behind the last row. */
  readonly more = signal(false);
  private next: OrderPage["next"];
  private readonly pages: Latest<{ add: boolean; q: OrderQuestion }, OrderPage>;

  constructor(ask: (q: OrderQuestion, signal: AbortSignal) => Promise<OrderPage>) {
    this.pages = new Latest(
      ({ q }, abort) => ask(q, abort),
      (page, { add }) => {
        this.rows.value = add ? [...this.rows.peek(), ...page.rows] : page.rows;
        this.next = page.next;
        this.more.value = page.next !== undefined;
        this.loading.value = false;
        this.error.value = null;
      },
      (err) => {
        this.loading.value = false;
        this.error.value = sentence(err);
      },
    );
  }

  /** Reads the orders from a tick on. */
  load(from: number, filter: OrderFilter = this.filter.peek()): void {
    this.filter.value = filter;
    this.from.value = from;
    this.loading.value = true;
    this.next = undefined;
    this.pages.want({ add: false, q: this.question({ from }) });
  }

  /** Reads the page behind the last row. */
  readMore(): void {
    if (this.next === undefined || this.loading.peek()) return;
    this.loading.value = true;
    this.pages.want({ add: true, q: this.question({ from: this.next.tick, after: this.next.n }) });
  }

  close(): void {
    this.pages.close();
  }

  private question(where: { from: number; after?: number }): OrderQuestion {
    const { refused, ...rest } = this.filter.peek();
    return { ...where, ...rest, refused: refused ? 1 : undefined, limit: PAGE };
  }
}
