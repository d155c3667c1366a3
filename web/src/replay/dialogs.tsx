// Dialogs of the viewer of replays: the link to a moment with the permission to watch, and the
// list of keys.

import { useSignal } from "@preact/signals";
import { type Action, actionTitle, type Bindings, keyLabel, REPLAY_ACTIONS } from "../input/hotkeys";
import { errorText } from "../text/names";
import { t } from "../text/text";

/** The permission to watch: the names of the lobby's option. */
export type Access = "off" | "participants" | "link" | "listed";
const ACCESS: readonly Access[] = ["off", "participants", "link", "listed"];

export interface Sharing {
  readonly access: Access;
  /** Sets the permission to watch; absent: this viewer has no choice. */
  readonly choose?: (access: Access) => Promise<Access>;
}

export function Share(props: {
  link(): string;
  time: string;
  sharing: Sharing | null;
  copy(link: string): Promise<boolean>;
  close(): void;
}) {
  const { link, time, sharing, copy, close } = props;
  const text = useSignal(link());
  const access = useSignal(sharing?.access);
  const note = useSignal("");
  const error = useSignal("");
  const choose = async (next: Access) => {
    error.value = "";
    try {
      access.value = await sharing?.choose?.(next);
      text.value = link();
    } catch (err) {
      error.value = errorText(err);
    }
  };
  return (
    <>
      <h2>{t("replay.linkTitle")}</h2>
      <p class="dim">{t("replay.linkText", { time })}</p>
      <input
        type="text"
        readOnly
        aria-label={t("replay.linkField")}
        data-field="replay-link"
        value={text}
        onFocus={(e) => e.currentTarget.select()}
      />
      {access.value && !sharing?.choose && (
        <p>
          {t("replay.who")}: <b>{t(`replay.access.${access.value}`)}</b>
        </p>
      )}
      {access.value && sharing?.choose && (
        <label class="setting">
          <span>
            {t("replay.who")}
            <small class="dim">{t("replay.whoNote")}</small>
          </span>
          <select
            data-field="replay-access"
            value={access.value}
            onChange={(e) => void choose(e.currentTarget.value as Access)}
          >
            {ACCESS.map((a) => (
              <option key={a} value={a} selected={a === access.value}>
                {t(`replay.access.${a}`)}
              </option>
            ))}
          </select>
        </label>
      )}
      <p class="error" role="alert" hidden={!error.value}>
        {error}
      </p>
      <p role="status" hidden={!note.value}>
        {note}
      </p>
      <div class="row end">
        <button
          type="button"
          class="primary"
          data-do="replay-copy"
          onClick={async () => {
            note.value = t((await copy(text.value)) ? "replay.copied" : "replay.notCopied");
          }}
        >
          {t("replay.copy")}
        </button>
        <button type="button" onClick={close}>
          {t("common.done")}
        </button>
      </div>
    </>
  );
}

/** Actions of a match whose keys work in a replay too. */
const OTHERS: readonly Action[] = [
  "faster",
  "slower",
  "toSelection",
  "zoomIn",
  "zoomOut",
  "nextPanel",
  "menu",
];

export function Help({ keys, teams, close }: { keys: Bindings; teams: number; close(): void }) {
  const row = (words: string, labels: readonly string[]) => (
    <li key={words}>
      <span>{words}</span>
      <span>
        {labels.map((l) => (
          <kbd key={l}>{l}</kbd>
        ))}
      </span>
    </li>
  );
  return (
    <>
      <h2>{t("replay.helpTitle")}</h2>
      <ul class="replay-keys">
        {[...REPLAY_ACTIONS, ...OTHERS].map((a) =>
          row(actionTitle(a).replace(`${t("replay.title")}: `, ""), [
            ...new Set(keys[a].map((code) => keyLabel(code))),
          ]),
        )}
        {row(
          t("replay.helpEyes"),
          Array.from({ length: Math.min(9, teams + 1) }, (_, k) => String(k)),
        )}
        {row(
          t("replay.helpSlider"),
          ["ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"].map((code) => keyLabel(code)),
        )}
      </ul>
      <p class="dim">{t("replay.keysMore")}</p>
      <div class="row end">
        <button type="button" class="primary" onClick={close}>
          {t("common.done")}
        </button>
      </div>
    </>
  );
}
