// The traffic of a live match, as the meters of the server count it.

import { useEffect, useRef } from "preact/hooks";
import { trafficPanel } from "../traffic";
import type { Inspector } from "./model";

export function TrafficPanel({ model }: { model: Inspector }) {
  const room = useRef<HTMLDivElement>(null);
  const { match } = model;
  const players = model.facts.peek()!.players;
  useEffect(() => {
    const panel = trafficPanel({ id: match, players });
    room.current?.append(panel.element);
    return () => {
      panel.close();
      panel.element.remove();
    };
  }, [match]);
  return <div class="selection" ref={room} />;
}
