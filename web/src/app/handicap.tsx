// The handicap of a seat: to read, and for the host and the seat's player to set.

import type { OtherSeatChange, Seat } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { handicapText } from "../text/names";
import { t } from "../text/text";
import type { LobbyModel } from "./lobbymodel";
import { openDialog } from "./mount";

const PARTS = ["start", "income", "damage"] as const;
const PERCENT_MIN = 10;
const PERCENT_MAX = 400;

type Handicap = NonNullable<OtherSeatChange["handicap"]>;

export function HandicapOf({ model, seat: s, name }: { model: LobbyModel; seat: Seat; name: string }) {
  const view = model.view.value;
  const mine = s.account?.id === view.me;
  const text = handicapText(s.handicap);
  if (!view.open || !(mine || view.host) || view.lobby.from)
    return text ? <span class="chip">{text}</span> : null;
  const save = (handicap: Handicap) =>
    mine ? model.changeSeat({ handicap }) : model.changeOther(s.slot, { handicap });
  return (
    <button
      type="button"
      class="ghost-button"
      data-do="handicap"
      title={t("lobby.handicapOf", { name })}
      onClick={() =>
        openDialog(t("lobby.handicapOf", { name }), "handicap", (close) => (
          <HandicapForm name={name} now={s.handicap ?? {}} lowers={!view.host} save={save} close={close} />
        ))
      }
    >
      {text || t("lobby.handicap")}
    </button>
  );
}

interface HandicapFormProps {
  name: string;
  now: Handicap;
  /** The player is not the host: it can lower the percentages alone. */
  lowers: boolean;
  save: (handicap: Handicap) => void;
  close: () => void;
}

function HandicapForm({ name, now, lowers, save, close }: HandicapFormProps) {
  const form = useSignal<Handicap>(now);
  return (
    <form
      class="form"
      onSubmit={(e) => {
        e.preventDefault();
        save(form.value);
        close();
      }}
    >
      <h2>{t("lobby.handicapOf", { name })}</h2>
      <p class="dim">{t(lowers ? "lobby.handicapLower" : "lobby.handicapNote")}</p>
      {PARTS.map((part) => (
        <Fragment key={part}>
          <label for={`handicap-${part}`}>{t(`lobby.handicapPart.${part}`)}</label>
          <input
            id={`handicap-${part}`}
            type="number"
            name={part}
            min={PERCENT_MIN}
            max={lowers ? (now[part] ?? 100) : PERCENT_MAX}
            required
            value={form.value[part] ?? 100}
            onInput={(e) => {
              form.value = { ...form.value, [part]: Number(e.currentTarget.value) };
            }}
          />
        </Fragment>
      ))}
      <button type="submit" class="primary">
        {t("lobby.handicapSave")}
      </button>
    </form>
  );
}
