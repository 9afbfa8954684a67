import { type Database, P_CHAIN_HEAD, prepared } from "../../../core/database/database.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { sorted } from "../../shared/rows/keyset.ts";
import { createListReader, exactly, type ListReader, type ListReaderOptions } from "../../shared/rows/list-reader.ts";
import { bigint } from "../../shared/rows/text-rows.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { createSubnetsById } from "./by-id.ts";
import { ALL_KINDS, orderOf, type SubnetOrder } from "./order.ts";
import {
  countedKindsStatement,
  KINDS_POSITION_AT,
  kindsStatement,
  pageStatement,
  SUBNET_ORDER,
  type SubnetRow,
  subnetFromRow,
} from "./rows.ts";
import type { Subnet, SubnetsArgs } from "./types.ts";

export type SubnetPageArgs = Pick<
  SubnetsArgs,
  "size" | "cursor" | "isBackward" | "filter" | "orderBy" | "mostBlockchainBytes"
>;

export interface SubnetStore {
  /** A page; by creation, the primary network is the oldest. One statement. */
  page(network: ServedNetwork, args: SubnetPageArgs, work: Work): Promise<Page<Subnet>>;
  /** The indexed subnets with these IDs (`0x` hex), in any order. */
  byIds(network: ServedNetwork, subnetIds: readonly string[], work: Work): Promise<Subnet[]>;
}

export function createSubnetStore(database: Pick<Database, "pool">, tokens: PageTokens): SubnetStore {
  const { pool } = database;
  const byIds = createSubnetsById(database);
  const readers = new Map<string, ListReader<Row>>();
  const countOfAll = prepared<{ count: string }>(pool, "subnets-exact-count", COUNT_OF_ALL);
  return {
    async page(network, args, work) {
      const { networkId } = network;
      const order = args.orderBy ?? NEWEST;
      const kinds = args.filter?.kinds?.length ? [...new Set(args.filter.kinds)].sort() : null;
      const isByCreation = kinds === null && order.field === "CREATION_TIME";
      const options = isByCreation ? creationOptions(order) : kindsOptions(order);
      const subnets = readers.get(options.name) ?? createListReader<Row>(pool, options);
      readers.set(options.name, subnets);
      const bytes = args.mostBlockchainBytes ? bigint(args.mostBlockchainBytes) : null;
      const values = ({ position, limit }: PageFrom) =>
        isByCreation
          ? [networkId, ...position, limit, bytes]
          : [networkId, limit, bytes, kinds ?? ALL_KINDS, ...position];
      const page = await readListPage<Row>(tokens, {
        list: "subnets",
        parameters: [networkId, kinds, order.field, order.direction],
        page: args,
        ends: subnets.ends,
        read: (from) => subnets.read(values, from, work),
        async count() {
          if (kinds) return subnets.count(values, work);
          const [row] = await countOfAll([networkId], work);
          return exactly(row?.count ?? 0);
        },
        positionOf: (row) => positionOf(order, row),
        countFitting,
      });
      return page.withNodes(page.nodes.map((row) => subnetFromRow(network, row)));
    },
    async byIds(network, subnetIds, work) {
      const rows = await byIds(network, subnetIds, work);
      return rows.map((row) => subnetFromRow(network, row));
    },
  };
}

/** A subnet with the columns that it may be listed by. */
type Row = SubnetRow & { readonly validator_count?: string; readonly total_weight?: string };

const NEWEST: SubnetOrder = { field: "CREATION_TIME", direction: "desc" };

/** The primary network is in no row. */
const COUNT_OF_ALL = "SELECT subnet_count + 1 AS count FROM p_chain_states WHERE network_id = $1";

const creationOptions = ({ direction }: SubnetOrder): ListReaderOptions => ({
  name: `subnets-${direction}`,
  order: sorted(SUBNET_ORDER, direction),
  positionAt: 2,
  select: pageStatement,
  head: P_CHAIN_HEAD,
});

const kindsOptions = (order: SubnetOrder): ListReaderOptions => ({
  name: `subnets-of-kinds-by-${order.field.toLowerCase()}-${order.direction}`,
  order: orderOf(order),
  positionAt: KINDS_POSITION_AT,
  select: kindsStatement,
  selectCounted: countedKindsStatement,
  head: P_CHAIN_HEAD,
});

function positionOf({ field }: SubnetOrder, row: Row): string[] {
  if (field === "VALIDATOR_COUNT") return [row.validator_count ?? "0", row.subnetSeq];
  return field === "TOTAL_WEIGHT" ? [row.total_weight ?? "0", row.subnetSeq] : [row.subnetSeq];
}

/** Number of rows within the size limit, at least one. */
function countFitting(rows: readonly SubnetRow[]): number {
  const end = rows.findIndex(({ exceedsSize }, index) => index > 0 && exceedsSize);
  return end === -1 ? rows.length : end;
}
