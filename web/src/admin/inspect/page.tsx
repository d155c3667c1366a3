// The page of the inspector: one match, from a list or by a link.

import { useLayoutEffect, useState } from "preact/hooks";
import { InspectorView } from "./inspector";
import "./inspect.css";
import type { Link } from "./link";
import { Inspector } from "./model";
import type { Source } from "./source";
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
  /** The answers about the link's match. */
  source: Source;
  hook: InspectHook;
  /** Leads to the list of matches. */
  back: () => void;
}

/** Opens what a link names. */
export function InspectPage({ link, source, hook, back }: InspectPageProps) {
  const [model] = useState(() => new Inspector(link.match, source, link));
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
