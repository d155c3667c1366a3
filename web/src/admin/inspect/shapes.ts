// The answers of the inspector's endpoints, under the names that this page uses.

export type {
  InspectBytes as Bytes,
  InspectBytesOf as BytesOf,
  InspectChanges as Changes,
  InspectClient as ClientKnown,
  InspectClientRow as ClientRow,
  InspectContact as Contact,
  InspectDetail as EntityFile,
  InspectEntity as Entity,
  InspectEye as Eye,
  InspectFacts as Facts,
  InspectKnown as Known,
  InspectOrder as OrderRow,
  InspectOrderPage as OrderPage,
  InspectPlayerFact as Player,
  InspectPoint as TilePoint,
  InspectState as State,
  InspectTeamSight as TeamWhy,
  InspectTile as TileFile,
  InspectTimes as Times,
  InspectWhen as SeenAt,
  SpecLiveTraffic,
} from "../../gen/admin";

export interface OrderQuestion {
  from: number;
  to?: number;
  after?: number;
  slot?: number;
  kind?: string;
  code?: string;
  unit?: number;
  refused?: number;
  limit?: number;
}
