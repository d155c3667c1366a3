// The page of the inspector in the admins' pages: one match, from its list or by a
// link.

import { render } from "preact";
import { h } from "../../ui/dom";
import type { Page } from "../tables";
import { InspectorView } from "./inspector";
import "./inspect.css";
import type { Link } from "./link";
import { Inspector } from "./model";
import { serverSource } from "./serversource";
import type { World } from "./world";

/** What the browser tests read. */
export interface InspectHook {
  inspect?: {
    readonly model: Inspector;
    readonly world: World | null;
    readonly other: World | null;
  };
}

/** Opens what a link names; `back` leads to the list of matches. */
export function inspectPage(link: Link, hook: InspectHook, back: () => void): Page {
  const element = h("div");
  const model = new Inspector(link.match, serverSource(link.match), link);
  render(<InspectorView model={model} back={back} />, element);
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
  return {
    element,
    close: () => {
      model.close();
      render(null, element);
      hook.inspect = undefined;
    },
  };
}
