import { type Database, prepared } from "../../../core/database.ts";
import { type PageTokens, pageOf } from "../../../core/page.ts";
import { createNestedList, type NestedList, type Page } from "../../shared/nested-list.ts";
import type { NetworkName } from "../../shared/network-name.ts";
import { bigint, bytea, byteaArray, MAX_BIGINT } from "../../shared/rows.ts";
import type { PrimaryChain } from "../networks/chains.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Networks } from "../networks/store.ts";
import { type BlockRow, blocksFromRows, COLUMNS } from "./rows.ts";
import type { PrimaryNetworkBlock } from "./types.ts";

/** Key of a block by height. */
export interface NumberKey {
  readonly network: NetworkName;
  readonly chain: PrimaryChain;
  readonly blockNumber: string;
}

/** Key of a block by ID or hash. */
export interface HashKey {
  readonly network: NetworkName;
  readonly chain: PrimaryChain;
  /** `0x` hex. */
  readonly blockHash: string;
}

/** Filter of a list of blocks. */
export interface BlockFilter {
  readonly chain: PrimaryChain;
  /** `0x` hex; null: any, and blocks without a known producer. */
  readonly nodeId: string | null;
  /** Seconds; the start is inclusive, the end exclusive. */
  readonly startTimestamp: string | null;
  readonly endTimestamp: string | null;
}

export interface BlockPageArgs {
  readonly pageToken?: string | null;
  readonly size: number;
}

export interface PrimaryBlockStore {
  /** A page, newest first. One statement. */
  page(network: ServedNetwork, filter: BlockFilter, args: BlockPageArgs): Promise<Page<PrimaryNetworkBlock>>;
  /** The indexed blocks with these keys, in any order. One statement per chain. */
  byNumber(keys: readonly NumberKey[]): Promise<PrimaryNetworkBlock[]>;
  byHash(keys: readonly HashKey[]): Promise<PrimaryNetworkBlock[]>;
  /** Transactions of a block; on the C-Chain, its atomic ones. Per request. */
  transactionsOf(): NestedList<BlockTransaction>;
}

export interface BlockTransaction {
  /** `0x` hex. */
  readonly txHash: string;
  readonly txSeq: string;
}

/** Block times never decrease along a chain, so a range of times is a range of heights. */
const pageStatement = (where: string): string => `SELECT ${COLUMNS} FROM primary_blocks
  WHERE network_id = $1 AND chain = $2 AND block_number < $3${where}
    AND block_number >= (SELECT block_number FROM primary_blocks
      WHERE network_id = $1 AND chain = $2 AND block_timestamp >= $5 ORDER BY block_timestamp, block_number LIMIT 1)
    AND block_number <= (SELECT block_number FROM primary_blocks
      WHERE network_id = $1 AND chain = $2 AND block_timestamp < $6 ORDER BY block_timestamp DESC, block_number DESC LIMIT 1)
  ORDER BY block_number DESC LIMIT $4`;

/** Statement for a page of blocks below a height, newest first. */
export const PAGE = pageStatement("");
export const PAGE_OF_NODE = pageStatement(" AND node_id = $7");

const byKeyStatement = (column: string, type: string): string =>
  `SELECT ${COLUMNS} FROM primary_blocks WHERE network_id = $1 AND chain = $2 AND ${column} = ANY ($3::${type}[])`;

const TRANSACTIONS = {
  name: "primary-block-transactions",
  key: { network_id: "bigint", chain: "text", block_timestamp: "bigint", block_number: "bigint" },
  position: { tx_seq: "bigint" },
  start: ["-1"],
  select: `SELECT t.tx_hash AS "txHash", t.tx_seq AS "txSeq" FROM primary_transactions t
    WHERE t.network_id = k.network_id AND t.chain = k.chain AND t.block_timestamp = k.block_timestamp
      AND t.block_number = k.block_number AND t.tx_seq > k.tx_seq ORDER BY t.tx_seq`,
  positionOf: ({ txSeq }: BlockTransaction) => [txSeq],
};

export function createPrimaryBlockStore(
  { pool }: Pick<Database, "pool">,
  tokens: PageTokens,
  networks: Networks,
): PrimaryBlockStore {
  const page = prepared<BlockRow>(pool, "primary-blocks", PAGE);
  const pageOfNode = prepared<BlockRow>(pool, "primary-blocks-of-node", PAGE_OF_NODE);
  const byNumber = prepared<BlockRow>(pool, "primary-blocks-by-number", byKeyStatement("block_number", "bigint"));
  const byHash = prepared<BlockRow>(pool, "primary-blocks-by-hash", byKeyStatement("block_hash", "bytea"));
  return {
    async page(network, filter, { pageToken, size }) {
      const { chain, nodeId, startTimestamp, endTimestamp } = filter;
      const list = [network.networkId, chain, nodeId, startTimestamp, endTimestamp];
      const [last = MAX_BIGINT] = tokens.read("primaryNetworkBlocks", list, pageToken) ?? [];
      const values = [
        network.networkId,
        chain,
        last,
        size + 1,
        bigint(startTimestamp ?? "0"),
        bigint(endTimestamp ?? MAX_BIGINT),
      ];
      const rows = nodeId ? await pageOfNode([...values, bytea(nodeId)]) : await page(values);
      const { items, nextPageToken } = pageOf(rows, size, ({ blockNumber }) =>
        tokens.sign("primaryNetworkBlocks", list, [blockNumber]),
      );
      return { items: blocksFromRows(network, items), nextPageToken };
    },
    byNumber: byChain(networks, async (network, chain, keys: readonly NumberKey[]) => {
      const numbers = keys.map(({ blockNumber }) => bigint(blockNumber));
      return blocksFromRows(network, await byNumber([network.networkId, chain, numbers]));
    }),
    byHash: byChain(networks, async (network, chain, keys: readonly HashKey[]) => {
      const hashes = byteaArray(keys.map(({ blockHash }) => blockHash));
      return blocksFromRows(network, await byHash([network.networkId, chain, hashes]));
    }),
    transactionsOf: createNestedList(pool, tokens, TRANSACTIONS, async (rows) => rows),
  };
}

/** Groups keys by chain and calls `read` once for each chain. */
function byChain<Key extends Pick<NumberKey, "network" | "chain">>(
  networks: Networks,
  read: (network: ServedNetwork, chain: PrimaryChain, keys: readonly Key[]) => Promise<PrimaryNetworkBlock[]>,
): (keys: readonly Key[]) => Promise<PrimaryNetworkBlock[]> {
  return async (keys) => {
    const groups = new Map<string, { readonly network: NetworkName; readonly chain: PrimaryChain; keys: Key[] }>();
    for (const key of keys) {
      const { network, chain } = key;
      const name = `${network} ${chain}`;
      const group = groups.get(name) ?? { network, chain, keys: [] };
      groups.set(name, group);
      group.keys.push(key);
    }
    const lists = [...groups.values()].map(async (group) =>
      read(await networks.find(group.network), group.chain, group.keys),
    );
    return (await Promise.all(lists)).flat();
  };
}
