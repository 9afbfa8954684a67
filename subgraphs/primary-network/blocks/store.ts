import type { Database } from "../../../core/database/database.ts";
import { prepared, primaryHead } from "../../../core/database/database.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Work } from "../../../core/work/work.ts";
import type { StoredBlocks } from "../../shared/new-blocks/subscriptions.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { ascending, descending, type Keyset } from "../../shared/rows/keyset.ts";
import { countConsecutive, createListReader, type ListSelect } from "../../shared/rows/list-reader.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { bigint, bytea, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { idText } from "../identifiers/ids.ts";
import { byEachNetwork } from "../networks/by-network.ts";
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
  /** Proposer in `0x` hex. Null: all blocks, also those without a known proposer. */
  readonly nodeId: string | null;
  /** Seconds; the start is inclusive, the end exclusive. */
  readonly startTimestamp: string | null;
  readonly endTimestamp: string | null;
}

export interface PrimaryBlockStore {
  /** A page, newest first. One statement. */
  page(network: ServedNetwork, filter: BlockFilter, args: PageRange, work: Work): Promise<Page<PrimaryNetworkBlock>>;
  /** The indexed blocks with these keys, in any order. One statement per network. */
  byNumber(keys: readonly NumberKey[], work: Work): Promise<PrimaryNetworkBlock[]>;
  byHash(keys: readonly HashKey[], work: Work): Promise<PrimaryNetworkBlock[]>;
  /** Transactions of a block; on the C-Chain, its atomic ones. Call once per request. */
  transactionsOf(work: Work): NestedList<BlockTransaction>;
}

/** The stored blocks of P- and X-Chains, by `primaryChainName`. */
export type FollowedBlocks = StoredBlocks<PrimaryNetworkBlock>;

export interface BlockTransaction {
  /** `0x` hex. */
  readonly txHash: string;
  readonly txSeq: string;
}

/** Block times never decrease along a chain, so a range of times is a range of heights. */
const pageSelect = (where: string): ListSelect => ({
  order: descending({ block_number: "bigint" }),
  positionAt: 3,
  select: ({ after, orderBy }) => `SELECT ${COLUMNS} FROM primary_blocks t
  WHERE t.network_id = $1 AND t.chain = $2 AND ${after()}${where}
    AND t.block_number >= (SELECT block_number FROM primary_blocks
      WHERE network_id = $1 AND chain = $2 AND block_timestamp >= $5 ORDER BY block_timestamp, block_number LIMIT 1)
    AND t.block_number <= (SELECT block_number FROM primary_blocks
      WHERE network_id = $1 AND chain = $2 AND block_timestamp < $6 ORDER BY block_timestamp DESC, block_number DESC LIMIT 1)
  ORDER BY ${orderBy()} LIMIT $4`,
});

/** A page of blocks, newest first. */
export const PAGE = pageSelect("");
export const PAGE_OF_NODE = pageSelect(" AND t.node_id = $7");

const BY_NUMBER = {
  name: "primary-blocks-by-number",
  table: "primary_blocks",
  columns: COLUMNS,
  key: { network_id: "bigint", chain: "text", block_number: "bigint" },
  valuesOf: ([network, { chain, blockNumber }]: InNetwork<NumberKey>) => [
    network.networkId,
    chain,
    bigint(blockNumber),
  ],
};

const BY_HASH = {
  name: "primary-blocks-by-hash",
  table: "primary_blocks",
  columns: COLUMNS,
  key: { network_id: "bigint", chain: "text", block_hash: "bytea" },
  valuesOf: ([network, { chain, blockHash }]: InNetwork<HashKey>) => [network.networkId, chain, bytea(blockHash)],
};

type InNetwork<Key> = readonly [network: ServedNetwork, key: Key];

const BETWEEN = `SELECT ${COLUMNS} FROM primary_blocks WHERE network_id = $1 AND chain = $2 AND block_number BETWEEN $3 AND $4
  ORDER BY block_number`;

const HEAD = `SELECT block_number AS "blockNumber", block_hash AS "blockHash" FROM primary_heads
  WHERE network_id = $1 AND chain = $2 AND block_number >= 0`;

const TRANSACTIONS = {
  name: "primary-block-transactions",
  key: { network_id: "bigint", chain: "text", block_timestamp: "bigint", block_number: "bigint" },
  order: ascending({ tx_seq: "bigint" }),
  head: primaryHead("k.chain"),
  select: ({ after, orderBy }: Keyset) => `SELECT * FROM (
      (SELECT t.tx_hash AS "txHash", t.tx_seq AS "txSeq" FROM primary_transactions t
      WHERE t.network_id = $1 AND t.chain = k.chain AND t.block_timestamp = k.block_timestamp
        AND t.block_number = k.block_number AND ${after()} ORDER BY ${orderBy()} LIMIT k.size + 1)
      UNION ALL (SELECT t.tx_hash, t.tx_seq FROM primary_repeated_transactions t
      WHERE t.network_id = $1 AND t.chain = k.chain AND t.block_number = k.block_number AND ${after()}
      ORDER BY ${orderBy()} LIMIT k.size + 1)
    ) both_kinds ORDER BY ${orderBy(() => '"txSeq"')}`,
  positionOf: ({ txSeq }: BlockTransaction) => [txSeq],
};

export function createPrimaryBlockStore(
  { pool }: Pick<Database, "pool">,
  tokens: PageTokens,
  networks: Networks,
): PrimaryBlockStore {
  const head = primaryHead("$2");
  const ofChain = createListReader<BlockRow>(pool, { ...PAGE, name: "primary-blocks", head });
  const ofNode = createListReader<BlockRow>(pool, { ...PAGE_OF_NODE, name: "primary-blocks-of-node", head });
  const byNumber = createKeyedRows<BlockRow, InNetwork<NumberKey>>(pool, BY_NUMBER);
  const byHash = createKeyedRows<BlockRow, InNetwork<HashKey>>(pool, BY_HASH);
  return {
    async page(network, filter, args, work) {
      const { networkId } = network;
      const { chain, nodeId, startTimestamp, endTimestamp } = filter;
      const times = [bigint(startTimestamp ?? "0"), bigint(endTimestamp ?? MAX_BIGINT)];
      const blocks = nodeId ? ofNode : ofChain;
      const values = ({ position, limit }: PageFrom) => [
        networkId,
        chain,
        ...position,
        limit,
        ...times,
        ...(nodeId ? [bytea(nodeId)] : []),
      ];
      const page = await readListPage(tokens, {
        list: "primaryNetworkBlocks",
        parameters: [networkId, chain, nodeId, startTimestamp, endTimestamp],
        page: args,
        ends: blocks.ends,
        read: (from) => blocks.read(values, from, work),
        count: () =>
          nodeId
            ? ofNode.count(values, work)
            : countConsecutive(ofChain, values, ({ blockNumber }) => blockNumber, work),
        positionOf: ({ blockNumber }) => [blockNumber],
      });
      return page.withNodes(blocksFromRows(network, page.nodes));
    },
    byNumber: byEachNetwork(networks, async (network, keys: readonly NumberKey[], work) => {
      const inNetwork = keys.map((key) => [network, key] as const);
      return blocksFromRows(network, await byNumber(inNetwork, work));
    }),
    byHash: byEachNetwork(networks, async (network, keys: readonly HashKey[], work) => {
      const inNetwork = keys.map((key) => [network, key] as const);
      return blocksFromRows(network, await byHash(inNetwork, work));
    }),
    transactionsOf: createNestedList(pool, tokens, TRANSACTIONS, async (rows) => rows),
  };
}

/** Reads the blocks that subscriptions send. */
export function createFollowedBlocks({ pool }: Pick<Database, "pool">, networks: Networks): FollowedBlocks {
  const between = prepared<BlockRow>(pool, "primary-blocks-between", BETWEEN);
  const head = prepared<{ readonly blockNumber: string; readonly blockHash: string }>(
    pool,
    "primary-blocks-head",
    HEAD,
  );
  return {
    async between(name, from, to, work) {
      const [networkId = "", chain] = name.split(" ");
      const network = (await networks.all()).find((one) => one.networkId === networkId);
      if (!network) throw new Error(`network ${networkId} is not served`);
      return blocksFromRows(network, await between([networkId, chain, from, to], work));
    },
    async head(name, work) {
      const [row] = await head(name.split(" "), work);
      return row ? { blockNumber: row.blockNumber, blockHash: idText(row.blockHash) } : null;
    },
  };
}
