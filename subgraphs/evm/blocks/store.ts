import { type Database, EVM_HEAD, prepared } from "../../../core/database/database.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { descending } from "../../shared/rows/keyset.ts";
import { countConsecutive, createListReader, type ListSelect } from "../../shared/rows/list-reader.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { allColumns, bigint, bytes } from "../../shared/rows/text-rows.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import { createRangedList, type RangedList } from "../ranged-lists/ranged-lists.ts";
import { rangedSelect } from "../ranged-lists/ranged-select.ts";
import type { EvmBlock } from "./types.ts";

export interface NumberKey {
  readonly chainId: string;
  readonly blockNumber: string;
}

export interface HashKey {
  readonly chainId: string;
  readonly blockHash: string;
}

export interface BlockHead extends NumberKey, HashKey {}

export interface BlockStore {
  /** Reads a page of all blocks of a chain, newest first. Throws `NOT_FOUND` for an unknown chain, `INVALID_PARAMETER` for an invalid page. */
  page(args: PageRange & { readonly chainId: string }, work: Work): Promise<Page<EvmBlock>>;
  /** Blocks of chains, newest first. */
  ofChains(work: Work): RangedList<EvmBlock>;
  byNumber(keys: readonly NumberKey[], work: Work): Promise<EvmBlock[]>;
  byHash(keys: readonly HashKey[], work: Work): Promise<EvmBlock[]>;
  /** Reads blocks `from` to `to` (both inclusive) in ascending order. */
  between(chainId: string, from: bigint, to: bigint, work: Work): Promise<EvmBlock[]>;
  /** Returns the last indexed block; null if no block is indexed. */
  head(chainId: string, work: Work): Promise<BlockHead | null>;
}

const COLUMNS = allColumns("evm_blocks");

/** A page of a chain's blocks, newest first. */
export const PAGE: ListSelect = {
  order: descending({ block_number: "bigint" }),
  positionAt: 2,
  select: ({ after, orderBy }) => `SELECT ${COLUMNS} FROM evm_blocks t WHERE t.chain_id = $1 AND ${after()}
    ORDER BY ${orderBy()} LIMIT $3`,
};

const OF_CHAINS = {
  name: "chain-blocks",
  select: rangedSelect({
    table: "evm_blocks",
    columns: COLUMNS,
    order: PAGE.order,
    key: {},
    parts: [{ where: "true" }],
  }),
  positionOf: ({ blockNumber }: EvmBlock) => [blockNumber],
};

const BETWEEN = `SELECT ${COLUMNS} FROM evm_blocks WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3
  ORDER BY block_number`;

const HEAD = `SELECT chain_id AS "chainId", block_number AS "blockNumber", block_hash AS "blockHash"
  FROM chain_heads WHERE chain_id = $1 AND block_number >= 0`;

export function createBlockStore({ pool, prisma }: Database, chains: Chains, tokens: PageTokens): BlockStore {
  const blocks = createListReader<EvmBlock>(pool, { ...PAGE, name: "evm-blocks-page", head: EVM_HEAD });
  const between = prepared<EvmBlock>(pool, "evm-blocks-between", BETWEEN);
  const requireIndexed = createRequireIndexed({ pool });
  const head = prepared<BlockHead>(pool, "evm-blocks-head", HEAD);
  return {
    async page(args, work) {
      const chainId = String(chains.require(args.chainId).chainId);
      const values = ({ position, limit }: PageFrom) => [chainId, ...position, limit];
      return readListPage(tokens, {
        list: "evmBlocks",
        parameters: [chainId],
        page: args,
        ends: blocks.ends,
        async read(from) {
          const found = await blocks.read(values, from, work);
          if (found.rows.length === 0) await requireIndexed(chainId, work);
          return found;
        },
        count: () => countConsecutive(blocks, values, ({ blockNumber }) => blockNumber, work),
        positionOf: ({ blockNumber }) => [blockNumber],
      });
    },
    ofChains: createRangedList({ pool }, tokens, OF_CHAINS, async (rows) => rows),
    byNumber: createRowsById(prisma, {
      partitionOf: ({ chainId }: NumberKey) => chainId,
      idOf: ({ blockNumber }) => BigInt(bigint(blockNumber)),
      findMany: ({ evmBlock }, chainId, blockNumbers) =>
        evmBlock.findMany({ where: { chainId, blockNumber: { in: blockNumbers } } }),
    }),
    byHash: createRowsById(prisma, {
      partitionOf: ({ chainId }: HashKey) => chainId,
      idOf: ({ blockHash }) => bytes(blockHash),
      findMany: ({ evmBlock }, chainId, blockHashes) =>
        evmBlock.findMany({ where: { chainId, blockHash: { in: blockHashes } } }),
    }),
    between: (chainId, from, to, work) => between([chainId, from, to], work),
    head: async (chainId, work) => (await head([chainId], work))[0] ?? null,
  };
}
