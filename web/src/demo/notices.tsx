// Notices over the whole page: the program has ended, or matches are not saved any more.

import { useSignal } from "@preact/signals";
import { t } from "../text/text";
import type { Local } from "./api";

export function Notices({ local }: { local: Local }) {
  const closed = useSignal(false);
  const why = local.failed.value;
  if (why)
    return (
      <div class="panel demo-notice" role="alert">
        <p>
          <b>{t("demo.ended")}</b> {t(local.storage.value === "saved" ? "demo.endedSaved" : "demo.endedLost")}
        </p>
        <p class="dim">{why.message}</p>
        <button type="button" class="primary" data-do="reload" onClick={() => location.reload()}>
          {t("demo.reload")}
        </button>
      </div>
    );
  if (local.storage.value !== "full" || closed.value) return null;
  return (
    <div class="panel demo-notice" role="alert">
      <p>{t("demo.storage.full")}</p>
      <button
        type="button"
        onClick={() => {
          closed.value = true;
        }}
      >
        {t("common.done")}
      </button>
    </div>
  );
}
