// The inspector of the page's own matches: who saw what, and why. The worker answers in place of a server.

import "../admin/admin.css";
import { answers } from "../admin/inspect/answers";
import { type InspectHook, InspectPage } from "../admin/inspect/page";
import type { Source } from "../admin/inspect/source";
import { screen } from "../app/mount";
import type { Screen } from "../app/navigation";
import { client } from "../gen/admin";
import type { Local } from "./api";

function source(local: Local, match: string): Source {
  const all = answers(client(local.call), match, local.fetchMap);
  return {
    ...all,
    // The match stands still while it is inspected: its newest state is the last.
    stream: (eyes, on) => {
      const abort = new AbortController();
      all.state(eyes, undefined, abort.signal).then(on.state, (err) => {
        if (!abort.signal.aborted) on.note(String(err));
      });
      return () => abort.abort();
    },
  };
}

export function inspectScreen(local: Local, match: string, hook: InspectHook, back: () => void): Screen {
  const leave = () => {
    history.replaceState(null, "", location.pathname); // the inspector keeps its place in the address
    back();
  };
  return screen(
    "demo-inspect",
    <InspectPage link={{ match }} source={source(local, match)} hook={hook} back={leave} />,
  );
}
