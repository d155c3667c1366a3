// Small parts that the panels of the inspector share.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { playerColor } from "../../draw/palette";
import { Emblem } from "../../ui/icons";
import { middle } from "./marks";
import type { Inspector } from "./model";
import type { Entity, Eye } from "./shapes";
import { eyeName, idName, ownerName } from "./words";

/** A player's emblem, by slot. */
export function Mark({ model, slot }: { model: Inspector; slot: number }) {
  if (slot < 0) return <i class="swatch vacant" aria-hidden="true" />;
  const color = model.colorOf(slot);
  return <Emblem color={playerColor(color)} index={color} />;
}

/** One of several, as buttons beside each other. */
export function Choice<T extends string | number>(props: {
  label: string;
  name: string;
  value: T;
  options: readonly { value: T; words: ComponentChildren; title?: string }[];
  choose: (v: T) => void;
}) {
  return (
    <div class="choice-row" role="radiogroup" aria-label={props.label}>
      {props.options.map((o) => (
        // biome-ignore lint/a11y/useSemanticElements: buttons, as everywhere on these pages
        <button
          key={o.value}
          type="button"
          role="radio"
          aria-checked={o.value === props.value}
          class={o.value === props.value ? "on" : ""}
          title={o.title}
          {...{ [`data-${props.name}`]: o.value }}
          onClick={() => props.choose(o.value)}
        >
          {o.words}
        </button>
      ))}
    </div>
  );
}

/** An entity to click: selects it and goes there. */
export function EntityLink({ model, entity }: { model: Inspector; entity: Entity }) {
  const facts = model.facts.value!;
  return (
    <button type="button" class="link" onClick={() => model.show(entity)}>
      <Mark model={model} slot={entity.slot} /> {entity.type} {idName(entity.id)}
      <span class="dim"> of {ownerName(facts, entity.slot)}</span>
    </button>
  );
}

/** The looker, to click if it is an entity. */
export function EyeLink({ model, eye }: { model: Inspector; eye: Eye }) {
  const facts = model.facts.value!;
  const go = () => {
    if (eye.id === undefined) return;
    model.select({ kind: "entity", id: eye.id });
    model.map?.reveal(middle(eye));
  };
  const owner = eye.slot === undefined || eye.slot < 0 ? "" : ` of ${ownerName(facts, eye.slot)}`;
  return eye.id === undefined ? (
    <b>{eyeName(eye)}</b>
  ) : (
    <button type="button" class="link" onClick={go} data-eye={eye.id}>
      {eyeName(eye)}
      <span class="dim">{owner}</span>
    </button>
  );
}

/** A tick to click. */
export function TickLink({ model, tick }: { model: Inspector; tick: number }) {
  return (
    <button type="button" class="link num" onClick={() => model.seek(tick)} title="Go to this tick">
      tick {tick}
    </button>
  );
}

/** A tile to click. */
export function TileLink({ model, x, y }: { model: Inspector; x: number; y: number }) {
  const go = () => {
    model.select({ kind: "tile", x, y });
    model.map?.reveal(middle({ x, y }));
  };
  return (
    <button type="button" class="link num" onClick={go}>
      {x}, {y}
    </button>
  );
}

const OVERSCAN = 8;

/** A long list of rows of one height. Only the rows in sight exist. */
export function LongList<T>(props: {
  label: string;
  rows: readonly T[];
  height: number;
  row: (item: T, index: number) => ComponentChildren;
  /** The row that is to be in sight; it is scrolled to as it changes. */
  current?: number;
  /** The end comes into sight. */
  end?: () => void;
}) {
  const el = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(400);
  useLayoutEffect(() => {
    const box = el.current;
    if (!box) return;
    const watch = new ResizeObserver(() => setRoom(box.clientHeight));
    watch.observe(box);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    const box = el.current;
    if (!box || props.current === undefined || props.current < 0) return;
    const at = props.current * props.height;
    if (at < box.scrollTop || at + props.height > box.scrollTop + box.clientHeight)
      box.scrollTop = Math.max(0, at - box.clientHeight / 2);
  }, [props.current, props.height]);
  const first = Math.max(0, Math.floor(top / props.height) - OVERSCAN);
  const last = Math.min(props.rows.length, Math.ceil((top + room) / props.height) + OVERSCAN);
  return (
    <div
      class="long-list"
      ref={el}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
      tabIndex={0}
      onScroll={(e) => {
        const box = e.currentTarget;
        setTop(box.scrollTop);
        if (box.scrollHeight - box.scrollTop - box.clientHeight < 4 * props.height) props.end?.();
      }}
    >
      <ul
        aria-label={props.label}
        style={{ height: `${props.rows.length * props.height}px`, paddingTop: `${first * props.height}px` }}
      >
        {props.rows.slice(first, last).map((r, i) => props.row(r, first + i))}
      </ul>
    </div>
  );
}
