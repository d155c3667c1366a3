// The one table of these pages: rows of a list, and of a list that the server sends page by page.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ErrorLine, useWorkWith } from "../ui/work";
import { usePoll } from "./poll";
import { sentence, when } from "./words";

const REFRESH_MS = 4000;

/** The content of a row's cells, by the heads of their columns. */
export type Columns<T> = Record<string, (item: T) => ComponentChildren>;

interface GridProps<T> {
  /** Tells the rows apart: the focus stays in its row when others come. */
  id: (item: T) => string | number;
  columns: Columns<T>;
  items: readonly T[];
  actions?: (item: T) => ComponentChildren;
}

/** A table. On a narrow page each row is a card (admin.css), with the heads as labels. */
export function Grid<T>({ id, columns, items, actions }: GridProps<T>) {
  const cells = Object.entries(columns);
  return (
    <div class="table-scroll">
      <table class="grid">
        <thead>
          <tr>
            {cells.map(([head]) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            {actions && <td />}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={id(item)}>
              {cells.map(([head, cell]) => (
                <td key={head} data-label={head}>
                  {cell(item)}
                </td>
              ))}
              {actions && (
                <td>
                  <span class="row end">{actions(item)}</span>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A panel of a page with its head. */
export function Panel(props: { title: string; head?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="panel">
      <div class="row table-head">
        <h2>{props.title}</h2>
        {props.head}
      </div>
      {props.children}
    </section>
  );
}

export const Loading = () => (
  <p class="empty" role="status">
    Loading…
  </p>
);

interface Tools {
  /** Loads the first page again. */
  again(): void;
  /** Does something to a row, then loads again. An error is shown above the rows. */
  attempt(work: () => Promise<unknown>): void;
}

interface TableProps<T, K extends string, C> extends Pick<GridProps<T>, "id" | "columns"> {
  title: string;
  /** The name of the rows in what `load` answers. */
  list: K;
  /** One page from a cursor on; without a cursor the first. */
  load: (from?: C) => Promise<{ [k in K]: T[] } & { next?: C }>;
  /** The search that `load` makes. Another one loads again. */
  query?: unknown;
  /** Shown in place of rows. */
  empty: string;
  actions?: (item: T, tools: Tools) => ComponentChildren;
  /** Controls beside the title. */
  head?: (tools: Tools) => ComponentChildren;
}

/** A table that reloads by itself until older rows are shown, so that these stay where they are. */
export function DataTable<T, K extends string, C = number>(props: TableProps<T, K, C>) {
  const { id, columns, list, load, query, actions } = props;
  const [older, setOlder] = useState<{ query: unknown; items: T[]; next?: C } | null>(null);
  const rest = older?.query === query ? older : null;
  const first = usePoll(() => load(), { everyMs: REFRESH_MS, inputs: [query], paused: rest !== null });
  const { busy, error, run } = useWorkWith(sentence);
  const again = () => {
    setOlder(null);
    first.again();
  };
  const tools: Tools = { again, attempt: (work) => void run(() => work().then(again)) };
  const { next } = rest ?? first.data ?? {};
  const more = async () => {
    const page = await load(next);
    setOlder({ query, items: [...(rest?.items ?? []), ...page[list]], next: page.next });
  };
  const items = [...(first.data?.[list] ?? []), ...(rest?.items ?? [])];
  return (
    <Panel title={props.title} head={props.head?.(tools)}>
      <ErrorLine text={first.error ? sentence(first.error) : error.value} />
      <Grid
        id={id}
        columns={columns}
        items={items}
        actions={actions && ((item: T) => actions(item, tools))}
      />
      {!first.data && !first.error && <Loading />}
      {first.data && items.length === 0 && <p class="empty">{props.empty}</p>}
      {(rest || next !== undefined) && (
        <div class="row table-foot">
          {next !== undefined && (
            <button type="button" class="ghost-button" disabled={busy.value} onClick={() => run(more)}>
              More
            </button>
          )}
          {rest && (
            <button type="button" class="ghost-button" onClick={again}>
              Back to the top
            </button>
          )}
        </div>
      )}
    </Panel>
  );
}

/** The field to search a table, and its text. */
export function useSearch(what: string): [query: string, field: () => ComponentChildren] {
  const [query, setQuery] = useState("");
  const field = () => (
    <input
      type="search"
      placeholder="Find"
      aria-label={`Find in ${what}`}
      onInput={(e) => setQuery(e.currentTarget.value.trim())}
    />
  );
  return [query, field];
}

/** A time that does not break over two lines. */
export const Time = ({ at }: { at: string }) => (
  <time class="num" dateTime={at}>
    {when(at)}
  </time>
);
