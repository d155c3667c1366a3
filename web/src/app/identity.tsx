// Log-ins by identity providers: the buttons to continue with one, and the
// identities that an account is linked with.

import { type Account, FogkeepError } from "@fogkeep/client";
import { type Signal, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { errorText } from "../text/names";
import { t } from "../text/text";
import { api } from "./server";
import { useWork } from "./work";

type Logins = Awaited<ReturnType<typeof api.loginProviders>>;
type Identities = Awaited<ReturnType<typeof api.identities>>;

/** By what players log in here; null until the server has said it. */
const logins = signal<Logins | null>(null);
let asked = false;

/** Asks the server for the ways to log in and the address of its links, once. */
export function askLogins(): void {
  if (asked) return;
  asked = true;
  api.loginProviders().then(
    (said) => {
      logins.value = said;
    },
    () => {
      asked = false; // the next screen asks again
    },
  );
}

/**
 * The address before the # of links for other people: the server's public one, or else this page's. For a page that
 * was opened at a loopback address it is the server's in its network, if that has one.
 */
export function sharedAddress(said: Logins | null = logins.value, page: Location = location): string {
  const shared = said?.publicUrl ?? (isLoopback(page.hostname) ? said?.networkUrl : undefined);
  return shared ? `${shared.replace(/\/+$/, "")}/` : page.origin + page.pathname;
}

/** Whether a host is the machine that asks for it. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/** By what players log in here. Until the server has said it: by all that it has itself. */
export function useLogins(): Logins {
  useEffect(askLogins, []);
  return logins.value ?? { providers: [], ownLogin: true, guests: true };
}

/** Where the player is, to come back to. */
const here = () => location.pathname + location.search + location.hash;

/** A button for each provider that logs in on pages of its own. */
export function ContinueWith() {
  const { providers } = useLogins();
  return (
    <>
      {providers
        .filter((p) => p.browser)
        .map((p) => (
          <button
            type="button"
            class="wide"
            key={p.id}
            data-do={`continue-${p.id}`}
            onClick={() => {
              location.href = api.logInAtProviderUrl(p.id, { return: here() });
            }}
          >
            {t("identity.continue", { name: p.name })}
          </button>
        ))}
    </>
  );
}

/** Whether there is a provider that logs in on pages of its own. */
export const useContinues = (): boolean => useLogins().providers.some((p) => p.browser);

/**
 * How the log-in ended from which the browser has just come back, for the player to
 * read; null if it has not come from one. The address no longer says it then.
 */
export function loginEnd(): string | null {
  const url = new URL(location.href);
  const code = url.searchParams.get("login");
  if (code === null) return null;
  url.searchParams.delete("login");
  history.replaceState(null, "", url.pathname + url.search + url.hash);
  if (code === "linked") return t("identity.linked");
  return errorText(new FogkeepError(code, ""));
}

/** The loaded identities of an account; null before. */
export function useIdentities(account: Account): Signal<Identities | null> {
  const read = useSignal<Identities | null>(null);
  useEffect(() => {
    if (account.guest) return;
    api.identities().then(
      (said) => {
        read.value = said;
      },
      () => undefined, // the forms below say what is wrong
    );
  }, [account.guest, read]);
  return read;
}

/** The identities of an account, to link and unlink. `attempt` shows how it went. */
export function IdentityList({
  read,
  attempt,
}: {
  read: Signal<Identities | null>;
  attempt: (work: () => Promise<string>) => Promise<boolean>;
}) {
  const { providers } = useLogins();
  const { busy, run } = useWork();
  const links = read.value?.identities ?? [];
  const free = providers.filter((p) => p.browser && !links.some((l) => l.provider === p.id));
  if (!read.value || links.length + free.length === 0) return null;
  return (
    <section class="identities" aria-labelledby="identities-title">
      <h3 id="identities-title">{t("identity.title")}</h3>
      {links.map((l) => (
        <div class="row" key={l.key}>
          <span class="grow">
            {l.name ?? l.issuer}{" "}
            <span class="dim">{t("identity.since", { date: new Date(l.created).toLocaleDateString() })}</span>
          </span>
          <button
            type="button"
            data-do="unlink"
            aria-label={t("identity.unlinkOf", { name: l.name ?? l.issuer })}
            disabled={busy}
            onClick={() =>
              run(() =>
                attempt(async () => {
                  await api.unlink(l.key);
                  read.value = await api.identities();
                  return t("identity.unlinked");
                }),
              )
            }
          >
            {t("identity.unlink")}
          </button>
        </div>
      ))}
      {free.map((p) => (
        <button
          type="button"
          class="wide"
          key={p.id}
          data-do={`link-${p.id}`}
          disabled={busy}
          onClick={() =>
            run(() =>
              attempt(async () => {
                location.href = (await api.linkAtProvider(p.id, { return: here() })).address;
                return "";
              }),
            )
          }
        >
          {t("identity.link", { name: p.name })}
        </button>
      ))}
    </section>
  );
}
