import { type Database, prepared } from "../../../core/database.ts";
import { type PageTokens, pageOf } from "../../../core/page.ts";
import type { Page } from "../../shared/nested-list.ts";
import { bigint, byteaArray, MAX_BIGINT } from "../../shared/rows.ts";
import type { ServedNetwork } from "../networks/store.ts";
import type { SortOrder } from "../paging/sort-order.ts";
import { NAMED, pageStatement, type SubnetRow, shownSubnet } from "./rows.ts";
import type { Subnet, SubnetsArgs } from "./types.ts";

export type SubnetPageArgs = Pick<SubnetsArgs, "pageToken" | "size" | "sortOrder" | "mostBlockchainBytes">;

export interface SubnetStore {
  /** By creation; the primary network is the first. One statement. */
  page(network: ServedNetwork, args: SubnetPageArgs): Promise<Page<Subnet>>;
  /** Those of the subnets (`0x` hex) that are indexed. */
  named(network: ServedNetwork, subnetIds: readonly string[]): Promise<Subnet[]>;
}

/** Before the first place in either direction; the primary network's is -1. */
const START = { desc: MAX_BIGINT, asc: "-2" } as const satisfies Record<SortOrder, string>;

export function createSubnetStore({ pool }: Pick<Database, "pool">, tokens: PageTokens): SubnetStore {
  const named = prepared<SubnetRow>(pool, "subnets-by-id", NAMED);
  const pages = {
    asc: prepared<SubnetRow>(pool, "subnets-asc", pageStatement("asc")),
    desc: prepared<SubnetRow>(pool, "subnets-desc", pageStatement("desc")),
  };
  return {
    async page(network, { pageToken, size, sortOrder, mostBlockchainBytes }) {
      const order = sortOrder ?? "desc";
      const list = [network.networkId, order];
      const [position = START[order]] = tokens.read("subnets", list, pageToken) ?? [];
      const rows = await pages[order]([
        network.networkId,
        position,
        size + 1,
        mostBlockchainBytes ? bigint(mostBlockchainBytes) : null,
      ]);
      const { items, nextPageToken } = pageOf(rows, Math.min(size, fitting(rows)), ({ subnetSeq }) =>
        tokens.sign("subnets", list, [subnetSeq]),
      );
      return { items: items.map((row) => shownSubnet(network, row)), nextPageToken };
    },
    async named(network, subnetIds) {
      const rows = await named([network.networkId, byteaArray(subnetIds)]);
      return rows.map((row) => shownSubnet(network, row));
    },
  };
}

/** How many of the rows there is room for; one at least. */
function fitting(rows: readonly SubnetRow[]): number {
  const end = rows.findIndex(({ isTooMuch }, index) => index > 0 && isTooMuch);
  return end === -1 ? rows.length : end;
}
