// The first screen: play at once, or log in.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../text/text";
import { CredentialFields, useCredentials, written } from "./credentials";
import { ContinueWith, useContinues, useLogins } from "./identity";
import { screen } from "./mount";
import type { Navigation, Screen } from "./navigation";
import { playDialog } from "./playdialog";
import { api } from "./server";
import { ErrorLine, useWork } from "./work";

export const titleScreen = (nav: Navigation): Screen => screen("title", <Title nav={nav} />);

function Title({ nav }: { nav: Navigation }) {
  const { busy, error, run } = useWork();
  const { guests } = useLogins();
  const guest = () => run(async () => nav.loggedIn((await api.playAsGuest({})).account));
  return (
    <>
      <div class="title-words">
        <h1 class="logo">fogkeep</h1>
        <p class="lead">{t("title.lead")}</p>
        {guests ? (
          <>
            <button
              type="button"
              class="primary big"
              data-do="play-bot"
              disabled={busy}
              onClick={() => playDialog(nav, "bot")}
            >
              {t("title.playBot")}
            </button>
            <p class="dim">{t("title.note")}</p>
            <div class="row wrap">
              <button type="button" data-do="missions" disabled={busy} onClick={() => void nav.missions()}>
                {t("title.missions")}
              </button>
              <button
                type="button"
                data-do="quick-match"
                disabled={busy}
                onClick={() => void nav.quickMatch()}
              >
                {t("queue.quick")}
              </button>
              <button type="button" data-do="guest" disabled={busy} onClick={guest}>
                {t("title.guest")}
              </button>
            </div>
          </>
        ) : null}
        <ErrorLine text={error.value} />
      </div>
      <LogIn nav={nav} />
      <button type="button" class="ghost-button corner" data-do="settings" onClick={() => nav.openSettings()}>
        {t("common.settings")}
      </button>
    </>
  );
}

/** The ways into an account: the identity providers, and the server's own log-in. */
export function LogIn({ nav }: { nav: Navigation }) {
  const { ownLogin } = useLogins();
  const continues = useContinues();
  if (!ownLogin && !continues) return null;
  return (
    <div class="panel login">
      <h2>{t("title.account")}</h2>
      <ContinueWith />
      {ownLogin ? <OwnLogIn nav={nav} /> : null}
    </div>
  );
}

/** The form to log in by name and password, or to make an account. */
function OwnLogIn({ nav }: { nav: Navigation }) {
  const { busy, error, run } = useWork();
  const form = useRef<HTMLFormElement>(null);
  const credentials = useCredentials();
  const fresh = useSignal(false); // a new password: for password managers
  const send = (how: typeof api.logIn | typeof api.register) =>
    run(async () => nav.loggedIn((await how(written(credentials))).account));
  return (
    <form
      ref={form}
      onSubmit={(e) => {
        e.preventDefault();
        void send(api.logIn);
      }}
    >
      <CredentialFields
        credentials={credentials}
        ids={["name", "password"]}
        passwordLabel={t("common.password")}
        fresh={fresh.value}
      />
      <ErrorLine text={error.value} />
      <div class="row wrap">
        <button type="submit" data-do="login" disabled={busy}>
          {t("title.logIn")}
        </button>
        <button
          type="button"
          data-do="register"
          disabled={busy}
          onClick={() => {
            if (!form.current?.reportValidity()) return;
            fresh.value = true;
            void send(api.register);
          }}
        >
          {t("title.register")}
        </button>
      </div>
    </form>
  );
}
