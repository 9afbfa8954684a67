import type { Database } from "../../../core/database/database.ts";
import { P_CHAIN_HEAD } from "../../../core/database/database.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { createListReader } from "../../shared/rows/list-reader.ts";
import { bigint } from "../../shared/rows/text-rows.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { type SortOrder, sorted } from "../paging/sort-order.ts";
import { createSubnetsById } from "./by-id.ts";
import { pageStatement, SUBNET_ORDER, type SubnetRow, subnetFromRow } from "./rows.ts";
import type { Subnet, SubnetsArgs } from "./types.ts";

export type SubnetPageArgs = Pick<SubnetsArgs, "size" | "cursor" | "isBackward" | "sortOrder" | "mostBlockchainBytes">;

export interface SubnetStore {
  /** A page in order of creation; the primary network is the oldest. One statement. */
  page(network: ServedNetwork, args: SubnetPageArgs, work: Work): Promise<Page<Subnet>>;
  /** The indexed subnets with these IDs (`0x` hex), in any order. */
  byIds(network: ServedNetwork, subnetIds: readonly string[], work: Work): Promise<Subnet[]>;
}

export function createSubnetStore(database: Pick<Database, "pool">, tokens: PageTokens): SubnetStore {
  const { pool } = database;
  const byIds = createSubnetsById(database);
  const reader = (sortOrder: SortOrder) =>
    createListReader<SubnetRow>(pool, {
      name: `subnets-${sortOrder}`,
      order: sorted(SUBNET_ORDER, sortOrder),
      positionAt: 2,
      select: pageStatement,
      head: P_CHAIN_HEAD,
    });
  const readers = { asc: reader("asc"), desc: reader("desc") };
  return {
    async page(network, args, work) {
      const { networkId } = network;
      const order = args.sortOrder ?? "desc";
      const bytes = args.mostBlockchainBytes ? bigint(args.mostBlockchainBytes) : null;
      const subnets = readers[order];
      const values = ({ position, limit }: PageFrom) => [networkId, ...position, limit, bytes];
      const page = await readListPage(tokens, {
        list: "subnets",
        parameters: [networkId, order],
        page: args,
        ends: subnets.ends,
        read: (from) => subnets.read(values, from, work),
        count: () => subnets.count(values, work),
        positionOf: ({ subnetSeq }) => [subnetSeq],
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

/** Number of rows within the size limit, at least one. */
function countFitting(rows: readonly SubnetRow[]): number {
  const end = rows.findIndex(({ exceedsSize }, index) => index > 0 && exceedsSize);
  return end === -1 ? rows.length : end;
}
