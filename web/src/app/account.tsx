// The player's account: a guest can turn it into a permanent one, everyone
// sees the matches played, changes the password, ends sessions or deletes it.

import type { Account, Me, Played } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { errorText, reasonText, sidedName } from "../text/names";
import { t } from "../text/text";
import { saveFile } from "../ui/dom";
import { playAgain } from "./again";
import { CredentialFields, PasswordField, useCredentials, written } from "./credentials";
import { botName, lengthOf, seatText } from "./holders";
import { ContinueWith, IdentityList, useContinues, useIdentities, useLogins } from "./identity";
import { openDialog } from "./mount";
import type { Navigation } from "./navigation";
import { OwnReports } from "./notices";
import { Ratings } from "./ratings";
import { reportDialog } from "./report";
import { api } from "./server";
import { ErrorLine, useWork } from "./work";

/** For guests: a provider, or a name and a password, make the guest an account; seat and history stay. */
export function Upgrade({ nav }: { nav: Navigation }) {
  const { ownLogin } = useLogins();
  const continues = useContinues();
  if (!ownLogin && !continues) return null;
  return (
    <section class="panel create" aria-labelledby="keep-title">
      <h2 id="keep-title">{t("account.keepTitle")}</h2>
      <p class="dim">{t(ownLogin ? "account.keepNote" : "account.keepNoteProvider")}</p>
      <ContinueWith />
      {ownLogin ? <UpgradeForm nav={nav} /> : null}
    </section>
  );
}

function UpgradeForm({ nav }: { nav: Navigation }) {
  const credentials = useCredentials();
  const { busy, error, run } = useWork();
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        void run(async () => {
          const { account } = await api.upgrade(written(credentials));
          nav.accountChanged(account);
          nav.home();
        });
      }}
    >
      <CredentialFields
        credentials={credentials}
        ids={["keep-name", "keep-password"]}
        passwordLabel={t("common.newPassword")}
        fresh
      />
      <ErrorLine text={error.value} />
      <button type="submit" class="wide" disabled={busy}>
        {t("account.keep")}
      </button>
    </form>
  );
}

const SHOWN = 6;

/** The record and the last matches. Empty before the end of the first match. */
export function MatchHistory({ nav }: { nav: Navigation }) {
  const read = useSignal<{ record: Me["record"]; over: readonly Played[] } | null>(null);
  const all = useSignal(false);
  useEffect(() => {
    Promise.all([api.me(), api.history()])
      .then(([me, { matches }]) => {
        read.value = { record: me.record, over: matches.filter((m) => m.outcome !== "") };
      })
      .catch(() => undefined); // the list of lobbies shows the error
  }, [read]);
  if (!read.value || read.value.over.length === 0) return null;
  const { record: r, over } = read.value;
  return (
    <section class="panel" aria-labelledby="history-title">
      <h2 id="history-title">{t("account.historyTitle")}</h2>
      {r ? (
        <p class="dim num">{t("account.record", { played: r.played, won: r.won, lost: r.lost })}</p>
      ) : null}
      <ul class="played">
        {(all.value ? over : over.slice(0, SHOWN)).map((m) => (
          <PlayedRow key={m.matchId} nav={nav} match={m} />
        ))}
      </ul>
      {over.length > SHOWN && !all.value ? (
        <button
          type="button"
          class="ghost-button"
          onClick={() => {
            all.value = true;
          }}
        >
          {t("account.historyMore")}
        </button>
      ) : null}
    </section>
  );
}

function PlayedRow({ nav, match: m }: { nav: Navigation; match: Played }) {
  const { account } = nav;
  const { allies, opponents } = sidesOf(m);
  return (
    <li class={m.outcome}>
      <span>
        <b>{t(`account.outcome.${m.outcome || "running"}`)}</b>{" "}
        {opponents ? t("account.against", { names: opponents }) : null}{" "}
        {allies ? t("account.with", { names: allies }) : null}
      </span>
      <span class="dim">
        {[
          t("account.onMap", { map: m.map }),
          lengthOf(m.seconds),
          ...(m.options.mode === "skirmish" ? [] : [t("account.points", { points: m.score })]),
          reasonText(m.reason),
        ].join(" · ")}
      </span>
      <span class="row">
        <span class="dim grow">{new Date(m.ended).toLocaleDateString()}</span>
        {m.replay === "available" ? (
          <button
            type="button"
            class="ghost-button"
            data-do="replay"
            aria-label={t("account.replayOf", { map: m.map, names: opponents || allies })}
            onClick={() => void nav.watchReplay({ match: m.matchId })}
          >
            {t("account.replay")}
          </button>
        ) : null}
        {account ? (
          <button
            type="button"
            class="ghost-button"
            data-do="again"
            aria-label={t("account.againOn", { map: m.map, names: opponents || allies })}
            onClick={() => void nav.attempt(() => playAgain(nav, account, m))}
          >
            {t("account.again")}
          </button>
        ) : null}
        {m.players.some((p) => !p.bot && !p.you) ? (
          <button
            type="button"
            class="ghost-button"
            data-do="report"
            aria-label={t("account.reportOn", { map: m.map, names: opponents || allies })}
            onClick={() => reportDialog(nav, { match: m.matchId })}
          >
            {t("account.report")}
          </button>
        ) : null}
      </span>
    </li>
  );
}

/** The names of the others in a match, by side, with the earlier players of their seats. */
export function sidesOf(m: Pick<Played, "players" | "team" | "ticks" | "seconds">): {
  allies: string;
  opponents: string;
} {
  const sides = { allies: [] as string[], opponents: [] as string[] };
  let seat: Played["players"] = [];
  for (const p of m.players) {
    seat.push(p);
    if (p.to !== undefined) continue; // the next in the list took this seat over
    const others = seat.filter((h) => !h.you);
    const holders = others.map((h) => ({
      name: sidedName(h.bot ? botName(h.level) : h.name, h),
      to: h.to,
    }));
    if (others.length > 0)
      sides[p.team === m.team ? "allies" : "opponents"].push(
        seatText(holders, m.ticks / Math.max(1, m.seconds)),
      );
    seat = [];
  }
  return { allies: sides.allies.join(", "), opponents: sides.opponents.join(", ") };
}

/** The dialog to change the password, end all sessions or delete the account. */
export function accountDialog(nav: Navigation): void {
  const { account } = nav;
  if (!account) return;
  openDialog(t("account.title"), "account", (close) => (
    <AccountPanel nav={nav} account={account} close={close} />
  ));
}

interface PanelProps {
  nav: Navigation;
  account: Account;
  close: () => void;
}

function AccountPanel({ nav, account, close }: PanelProps) {
  const done = useSignal("");
  const error = useSignal("");
  const identities = useIdentities(account);
  const { ownLogin } = useLogins();
  /** While unknown, an account counts as having a password. */
  const hasPassword = !account.guest && identities.value?.password !== false;
  /** Runs work and shows the line that it returns, or its error. Resolves with whether it succeeded. */
  const attempt = async (work: () => Promise<string>): Promise<boolean> => {
    done.value = error.value = "";
    try {
      done.value = await work();
      return true;
    } catch (err) {
      error.value = errorText(err);
      return false;
    }
  };
  const loggedOut = () => {
    close();
    nav.loggedOut();
    return "";
  };
  return (
    <>
      <h2>{account.name}</h2>
      <ErrorLine text={error.value} />
      <p role="status" hidden={!done.value}>
        {done.value}
      </p>
      <Ratings nav={nav} />
      <OwnReports />
      <IdentityList read={identities} attempt={attempt} />
      {account.guest || !(ownLogin || hasPassword) ? null : (
        <PasswordForm
          account={account}
          first={!hasPassword}
          change={(old, next) =>
            attempt(async () => {
              nav.accountChanged((await api.changePassword({ old, new: next })).account);
              if (identities.value) identities.value = { ...identities.value, password: true };
              return t("account.passwordChanged");
            })
          }
        />
      )}
      <DeleteForm
        account={account}
        proves={hasPassword}
        remove={(password) =>
          attempt(async () => {
            await api.deleteAccount({ password });
            return loggedOut();
          })
        }
      />
      <div class="row wrap">
        <button
          type="button"
          data-do="export"
          onClick={() =>
            void attempt(async () => {
              saveFile("fogkeep-account.json", JSON.stringify(await api.exportAccount(), null, 2));
              return t("account.exported");
            })
          }
        >
          {t("account.export")}
        </button>
        <button
          type="button"
          data-do="logout-everywhere"
          onClick={() =>
            void attempt(async () => {
              await api.logOutEverywhere();
              return loggedOut();
            })
          }
        >
          {t("account.logOutEverywhere")}
        </button>
      </div>
    </>
  );
}

function PasswordForm({
  account,
  first,
  change,
}: {
  account: Account;
  /** The account has no password yet. */
  first: boolean;
  change: (old: string, next: string) => Promise<boolean>;
}) {
  const old = useSignal("");
  const next = useSignal("");
  return (
    <form
      onSubmit={async (e) => {
        e.preventDefault();
        if (await change(old.value, next.value)) old.value = next.value = "";
      }}
    >
      <h3>{t("account.passwordTitle")}</h3>
      <HiddenName account={account} />
      {first ? null : (
        <PasswordField id="old-password" label={t("account.currentPassword")} value={old} fresh={false} />
      )}
      <PasswordField id="next-password" label={t("account.nextPassword")} value={next} fresh />
      <button type="submit">{t(first ? "account.setPassword" : "account.changePassword")}</button>
    </form>
  );
}

function DeleteForm({
  account,
  proves,
  remove,
}: {
  account: Account;
  /** The player confirms it by the password. */
  proves: boolean;
  remove: (password?: string) => Promise<boolean>;
}) {
  const password = useSignal("");
  /** Without a password, a second click confirms. */
  const sure = useSignal(false);
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        if (!proves && !sure.value) sure.value = true;
        else void remove(proves ? password.value : undefined);
      }}
    >
      <h3>{t("account.deleteTitle")}</h3>
      <p class="dim">{t("account.deleteNote")}</p>
      {!proves ? null : (
        <>
          <HiddenName account={account} />
          <PasswordField
            id="gone-password"
            label={t("account.deletePassword")}
            value={password}
            fresh={false}
          />
        </>
      )}
      <button
        type="submit"
        class="danger"
        data-do="delete-account"
        onBlur={() => {
          sure.value = false;
        }}
      >
        {sure.value ? t("account.deleteSure") : t("account.delete")}
      </button>
    </form>
  );
}

/** Tells a password manager whose password it is. */
function HiddenName({ account }: { account: Account }) {
  return <input type="text" autocomplete="username" value={account.name} readOnly hidden />;
}
