// The screen of a link to a party: the inviting player, a name for a visitor without an account, and one button to
// join.

import type { PartyInvitation } from "@fogkeep/client";
import { t } from "../text/text";
import { useEntrance, WhoEnters } from "./entrance";
import { screen } from "./mount";
import type { Navigation, Screen } from "./navigation";
import { LogIn } from "./title";
import { ErrorLine, useWork } from "./work";

export const partyInvitationScreen = (nav: Navigation, code: string, party: PartyInvitation): Screen =>
  screen("title", <Invited nav={nav} code={code} party={party} />);

function Invited({ nav, code, party }: { nav: Navigation; code: string; party: PartyInvitation }) {
  const { name, enters, enter } = useEntrance(nav);
  const { busy, error, run } = useWork();
  const join = () =>
    run(async () => {
      await enter();
      await nav.queue.joinParty(code);
      nav.home();
    });
  return (
    <div class="title-words">
      <p class="logo small">fogkeep</p>
      <h1>{t("invite.by", { name: party.leader })}</h1>
      <p class="lead">{t("queue.invited", { names: party.members.join(", ") })}</p>
      {enters ? (
        <form
          class="panel join"
          onSubmit={(e) => {
            e.preventDefault();
            void join();
          }}
        >
          <WhoEnters nav={nav} name={name} />
          <ErrorLine text={error.value} />
          <button type="submit" class="primary big" data-do="join" disabled={busy}>
            {t("common.join")}
          </button>
        </form>
      ) : (
        <LogIn nav={nav} />
      )}
      <button type="button" class="ghost-button" onClick={() => (nav.account ? nav.home() : nav.title())}>
        {t("invite.elsewhere")}
      </button>
    </div>
  );
}
