// The decisions of moderators about the player, with the appeal, and the player's own reports.

import type { Banned, Notice, OwnReport } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { language, type TextKey, t } from "../text/text";
import "./report.css";
import type { Navigation } from "./navigation";
import { api } from "./server";
import { ErrorLine, useWork } from "./work";

const store = (nav: Navigation) => `fogkeep.closed.${nav.account?.id}`;

/** The closed reports that the player has dismissed, by their times. */
function dismissed(nav: Navigation): readonly string[] {
  try {
    return JSON.parse(localStorage[store(nav)] ?? "[]");
  } catch {
    return [];
  }
}

/** Above the lists of the home screen: the decisions that hold, and the reports that a moderator has closed. */
export function Notices({ nav }: { nav: Navigation }) {
  const notices = useSignal<readonly Notice[]>([]);
  const closed = useSignal<readonly OwnReport[]>([]);
  const read = async () => {
    const [me, { reports }] = await Promise.all([api.me(), api.reports()]);
    notices.value = me.notices ?? [];
    const gone = dismissed(nav);
    closed.value = reports.filter((r) => r.closed && !gone.includes(r.at));
  };
  const version = nav.queue.standing.value?.relations ?? 0; // changes with each notice
  useEffect(() => void read().catch(() => undefined), [nav, version]); // the list of lobbies shows the error
  const dismiss = () => {
    localStorage[store(nav)] = JSON.stringify(
      [...dismissed(nav), ...closed.value.map((r) => r.at)].slice(-200),
    );
    closed.value = [];
  };
  const { banned } = nav;
  return (
    <>
      {banned && !notices.value.some((n) => n.scopes.length === 0) ? <BannedNote banned={banned} /> : null}
      {notices.value.map((n) => (
        <NoticeNote key={n.case} notice={n} changed={read} />
      ))}
      {closed.value.length > 0 ? (
        <section class="panel notice" role="status" data-notice="closed">
          <p>{t("report.closed", { names: [...new Set(closed.value.map((r) => r.name))].join(", ") })}</p>
          <div class="row">
            <button type="button" data-do="dismiss-closed" onClick={dismiss}>
              {t("common.done")}
            </button>
          </div>
        </section>
      ) : null}
    </>
  );
}

const timeOf = (at: string) =>
  new Date(at).toLocaleString(language(), { dateStyle: "long", timeStyle: "short" });

const bannedTitle = (until?: string) =>
  until ? t("account.bannedUntil", { time: timeOf(until) }) : t("account.banned");

/** The reason of a ban, and its end. */
function BannedNote({ banned: { reason, until } }: { banned: Banned }) {
  return (
    <section class="panel banned notice" role="alert">
      <h2>{bannedTitle(until)}</h2>
      <p>{t("account.bannedReason", { reason })}</p>
      <p class="dim">{t("account.bannedNote")}</p>
    </section>
  );
}

function titleOf({ scopes, until }: Notice): string {
  if (scopes.length === 0) return bannedTitle(until);
  const end = until ? { time: timeOf(until) } : null;
  if (scopes.includes("queue")) return end ? t("notice.queueUntil", end) : t("notice.queue");
  const where = scopes.map((s) => t(`notice.scope.${s}` as TextKey)).join(", ");
  return end ? t("notice.mutedUntil", { where, ...end }) : t("notice.muted", { where });
}

/** One decision, with the form of the appeal. */
function NoticeNote({ notice: n, changed }: { notice: Notice; changed: () => Promise<void> }) {
  const writes = useSignal(false);
  return (
    <section class="panel banned notice" role="alert" data-notice={n.case}>
      <h2>{titleOf(n)}</h2>
      <p>{t("account.bannedReason", { reason: n.reason })}</p>
      {n.scopes.length === 0 ? <p class="dim">{t("account.bannedNote")}</p> : null}
      {n.appeal === "waiting" ? <p role="status">{t("notice.waiting")}</p> : null}
      {n.appeal === "answered" ? <p role="status">{t("notice.answer", { answer: n.answer ?? "" })}</p> : null}
      {n.appeal === "possible" && !writes.value ? (
        <button
          type="button"
          data-do="appeal"
          onClick={() => {
            writes.value = true;
          }}
        >
          {t("notice.appeal")}
        </button>
      ) : null}
      {n.appeal === "possible" && writes.value ? <AppealForm notice={n} changed={changed} /> : null}
    </section>
  );
}

function AppealForm({ notice, changed }: { notice: Notice; changed: () => Promise<void> }) {
  const text = useSignal("");
  const { busy, error, run } = useWork();
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        void run(async () => {
          await api.appeal(notice.case, { text: text.value.trim() });
          await changed();
        });
      }}
    >
      <label class="field">
        <span>{t("notice.appealText")}</span>
        <textarea
          rows={4}
          required
          maxLength={1000}
          data-field="appeal-text"
          value={text}
          onInput={(e) => {
            text.value = e.currentTarget.value;
          }}
        />
      </label>
      <p class="dim">{t("notice.once")}</p>
      <ErrorLine text={error.value} />
      <button type="submit" class="primary" data-do="send-appeal" disabled={busy}>
        {t("notice.send")}
      </button>
    </form>
  );
}

/** The player's reports in the dialog of the account. */
export function OwnReports() {
  const reports = useSignal<readonly OwnReport[]>([]);
  useEffect(() => {
    api.reports().then(
      (r) => {
        reports.value = r.reports;
      },
      () => undefined, // the dialog's other parts show the error
    );
  }, []);
  if (reports.value.length === 0) return null;
  return (
    <section>
      <h3>{t("report.own")}</h3>
      <ul class="played">
        {reports.value.map((r) => (
          <li key={r.at}>
            <span>
              <b>{r.name}</b> {t(`report.kind.${r.kind}` as TextKey)}
            </span>
            <span class="dim">
              {new Date(r.at).toLocaleDateString(language())} ·{" "}
              {t(r.closed ? "report.isClosed" : "report.isOpen")}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
