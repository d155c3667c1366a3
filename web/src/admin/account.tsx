// The dialog of one account: the server's data about the account, and the actions on it.

import type { Account, AccountOutBody } from "../gen/admin";
import { showView } from "../ui/dialog";
import { ErrorLine } from "../ui/work";
import { admin, may } from "./api";
import { Ask, AskReason } from "./dialog";
import { usePoll } from "./poll";
import { Grid, Loading, Time } from "./table";
import { sentence, when } from "./words";

/** Durations of a ban, in hours; 0 has no end. */
export const HOURS = [
  ["24", "a day"],
  ["168", "a week"],
  ["720", "30 days"],
  ["0", "permanently"],
] as const;

interface AskBanProps {
  words: string;
  name?: string;
  strong?: boolean;
  account?: Account;
  done: () => void;
}

/** The button and dialog of a ban. Without an account it asks for a name or a range of addresses. */
export function AskBan({ account, ...button }: AskBanProps) {
  return (
    <Ask
      {...button}
      title={account ? `Ban ${account.name}` : "Ban an account, or a range of addresses"}
      note="A banned account loses its sessions, its seat and its match. Nobody can connect from banned addresses, and connections from there end. The accounts can still connect from elsewhere."
      fields={[
        ...(account
          ? []
          : [{ name: "who", label: "Account's name, or addresses such as 192.0.2.7 or 192.0.2.0/24" }]),
        { name: "reason", label: "Reason, shown to the banned player" },
        { name: "hours", label: "Duration", choices: HOURS, value: "24" },
      ]}
      submit="Ban"
      danger
      run={async ({ who, reason, hours }) => {
        const range = !account && /^[0-9a-f:.]+(\/\d+)?$/i.test(who.trim()) && /[:.]/.test(who);
        await admin.ban({
          ...(range ? { range: who.trim() } : { account: account?.id ?? who.trim() }),
          reason,
          hours: Number(hours),
        });
        return undefined;
      }}
    />
  );
}

interface AccountProps {
  id: string;
  /** The list of accounts is not the same any more. */
  changed: () => void;
  close: () => void;
}

/** Opens the dialog of an account. */
export function openAccount({ id, name }: Account, changed: () => void): void {
  showView(name, "account-file", (close) => <AccountFile id={id} changed={changed} close={close} />);
}

function AccountFile({ id, changed, close }: AccountProps) {
  const { data, error, again } = usePoll(() => admin.account(id));
  const done = () => {
    changed();
    again();
  };
  return (
    <div class="stack">
      {data ? <Details file={data} /> : !error && <Loading />}
      <ErrorLine text={error ? sentence(error) : ""} />
      <div class="row wrap end">
        {data && may("moderator") && <Moderation file={data} done={done} />}
        {data && may("admin") && (
          <>
            <ResetLink account={data.account} />
            <Removal account={data.account} changed={changed} close={close} />
          </>
        )}
        <span class="grow" />
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </div>
  );
}

function Details({ file }: { file: AccountOutBody }) {
  const { account: a, record: r, ban, lobby, sessions, identities } = file;
  const fact = (what: string, is: string) => (
    <>
      <dt>{what}</dt>
      <dd>{is}</dd>
    </>
  );
  return (
    <>
      <div class="row">
        <h2>{a.name}</h2>
        <span class="chip">{a.guest ? "guest" : "account"}</span>
        {ban && <span class="chip banned">banned</span>}
      </div>
      <dl class="facts">
        {fact("Id", a.id)}
        {a.email && fact("Email", a.email)}
        {fact("Played", `${r.played}: ${r.won} won, ${r.lost} lost, ${r.drawn} drawn`)}
        {fact("Seat", lobby ? `in lobby ${lobby}` : "in no lobby")}
        {ban &&
          fact(
            "Banned",
            `${ban.until ? `until ${when(ban.until)}` : "permanently"} by ${ban.by}: ${ban.reason}`,
          )}
      </dl>
      <h3>Sessions</h3>
      {sessions.length === 0 ? (
        <p class="dim">No sessions.</p>
      ) : (
        <div class="sessions">
          <Grid
            id={(s) => s.created + s.address + s.userAgent}
            columns={{
              Since: (s) => <Time at={s.created} />,
              From: (s) => <span class="num">{s.address}</span>,
              With: (s) => <span class="dim">{s.userAgent}</span>,
            }}
            items={sessions}
          />
        </div>
      )}
      {identities.length > 0 && (
        <>
          <h3>Linked identities</h3>
          <Grid
            id={(i) => i.key}
            columns={{
              Provider: (i) => <span title={i.issuer}>{i.name ?? i.issuer}</span>,
              Subject: (i) => <span class="dim">{i.subject}</span>,
              Since: (i) => <Time at={i.created} />,
              "Last log-in": (i) => <Time at={i.used} />,
            }}
            items={identities}
          />
        </>
      )}
    </>
  );
}

/** The actions of moderators: kick, end the sessions, ban or lift the ban. */
function Moderation({ file, done }: { file: AccountOutBody; done: () => void }) {
  const { account: a, sessions, ban } = file;
  return (
    <>
      <AskReason
        words="Kick"
        title={`Remove ${a.name} from lobby and match`}
        run={(body) => admin.kick(a.id, body)}
        done={done}
      />
      <Ask
        words="Log out everywhere"
        title={`End all ${sessions.length} sessions of ${a.name}`}
        submit="Log out"
        run={async () => void (await admin.endSessions(a.id))}
        done={done}
      />
      {ban ? (
        <Ask
          words="Lift the ban"
          title={`Lift the ban of ${a.name}`}
          submit="Lift"
          run={async () => void (await admin.liftBan(ban.id))}
          done={done}
        />
      ) : (
        <AskBan words="Ban" account={a} done={done} />
      )}
    </>
  );
}

const ResetLink = ({ account: a }: { account: Account }) => (
  <Ask
    words="Reset link"
    title={`A new password for ${a.name}`}
    note="Creates a link with which a new password can be set. Earlier links stop working. The old password works until this link is used."
    submit="Create the link"
    run={async () => {
      const { expires, link } = await admin.resetPassword(a.id);
      return { words: `Give this to ${a.name}. It works once, until ${when(expires)}.`, secret: link };
    }}
  />
);

const Removal = ({ account: a, changed, close }: Omit<AccountProps, "id"> & { account: Account }) => (
  <Ask
    words="Delete"
    title={`Delete ${a.name} for good`}
    note="Name, email, password and chat lines are deleted. Its matches show “deleted”. This cannot be undone."
    fields={[{ name: "name", label: `Type ${a.name} to confirm` }]}
    danger
    run={async ({ name }) => {
      if (name.trim() !== a.name) throw new Error("That is another name.");
      await admin.deleteAccount(a.id);
      close();
      return undefined;
    }}
    done={changed}
  />
);
