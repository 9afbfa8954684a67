import type { Database } from "../../../core/database/database.ts";
import { P_CHAIN_HEAD, preparedList } from "../../../core/database/database.ts";
import { type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import type { Page } from "../../shared/rows/nested-list.ts";
import { bigint, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { SortOrder } from "../paging/sort-order.ts";
import { createSubnetsById } from "./by-id.ts";
import { pageStatement, type SubnetRow, subnetFromRow } from "./rows.ts";
import type { Subnet, SubnetsArgs } from "./types.ts";

export type SubnetPageArgs = Pick<SubnetsArgs, "pageToken" | "size" | "sortOrder" | "mostBlockchainBytes">;

export interface SubnetStore {
  /** A page in order of creation; the primary network is the oldest. One statement. */
  page(network: ServedNetwork, args: SubnetPageArgs, work: Work): Promise<Page<Subnet>>;
  /** The indexed subnets with these IDs (`0x` hex), in any order. */
  byIds(network: ServedNetwork, subnetIds: readonly string[], work: Work): Promise<Subnet[]>;
}

/** Position before the first subnet; the primary network has position -1. */
const START = { desc: MAX_BIGINT, asc: "-2" } as const satisfies Record<SortOrder, string>;

export function createSubnetStore(database: Pick<Database, "pool">, tokens: PageTokens): SubnetStore {
  const { pool } = database;
  const byIds = createSubnetsById(database);
  const pages = {
    asc: preparedList<SubnetRow>(pool, "subnets-asc", pageStatement("asc"), P_CHAIN_HEAD),
    desc: preparedList<SubnetRow>(pool, "subnets-desc", pageStatement("desc"), P_CHAIN_HEAD),
  };
  return {
    async page(network, args, work) {
      const { networkId } = network;
      const order = args.sortOrder ?? "desc";
      const bytes = args.mostBlockchainBytes ? bigint(args.mostBlockchainBytes) : null;
      const { items, nextPageToken } = await readListPage(tokens, {
        list: "subnets",
        parameters: [networkId, order],
        page: args,
        start: [START[order]],
        read: ([position]) => pages[order]([networkId, position, args.size + 1, bytes], work),
        positionOf: ({ subnetSeq }) => [subnetSeq],
        countFitting,
      });
      return { items: items.map((row) => subnetFromRow(network, row)), nextPageToken };
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
