// The page of the inspector in the admins' pages: one match, from its list or by a
// link.

import { useLayoutEffect, useState } from "preact/hooks";
import { InspectorView } from "./inspector";
import "./inspect.css";
import type { Link } from "./link";
import { Inspector } from "./model";
import { serverSource } from "./serversource";
import type { World } from "./world";

/** Read by the browser tests. */
export interface InspectHook {
  inspect?: {
    readonly model: Inspector;
    readonly world: World | null;
    readonly other: World | null;
  };
}

interface InspectPageProps {
  link: Link;
  hook: InspectHook;
  /** Leads to the list of matches. */
  back: () => void;
}

/** Opens what a link names. */
export function InspectPage({ link, hook, back }: InspectPageProps) {
  const [model] = useState(() => new Inspector(link.match, serverSource(link.match), link));
  useLayoutEffect(() => {
    void model.open();
    hook.inspect = {
      model,
      get world() {
        return model.a.world.peek();
      },
      get other() {
        return model.b.world.peek();
      },
    };
    return () => {
      model.close();
      hook.inspect = undefined;
    };
  }, [model, hook]);
  return <InspectorView model={model} back={back} />;
}
