import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session } from "../../../shared/writer.ts";
import type { BlockRows } from "../../decode/block.ts";
import { firstBlocks, nftItemKey, nftItemLists } from "../../store/tables.ts";
import type { BlockRange } from "../../store/untraced-ranges.ts";
import type { Difference } from "./compare-rows.ts";

/** Tables of what came up first in some block. */
export type FirstSeenTable = "erc20_tokens" | "nft_contracts" | "nft_items";

interface FirstSeen {
  readonly keysOf: (block: BlockRows) => readonly string[];
  /** A row's key as the same text. */
  readonly key: string;
  /** Rows with the keys that `lists` gives as parameters from `$2` on. */
  readonly hasKey: string;
  readonly lists: (keys: readonly string[]) => unknown[];
  /** Names every row: the index that finds rows by their first block begins with it. */
  readonly isAny: string;
}

const contracts = (keysOf: FirstSeen["keysOf"]): FirstSeen => ({
  keysOf,
  key: "encode(address, 'hex')",
  hasKey: "address = ANY ($2::bytea[])",
  lists: (keys) => [keys.map(pgBytes)],
  isAny: "metadata_status IN ('PENDING', 'INDEXED')",
});

const TABLES: Readonly<Record<FirstSeenTable, FirstSeen>> = {
  erc20_tokens: contracts(({ tokens }) => tokens),
  nft_contracts: contracts(({ nftContracts }) => nftContracts),
  nft_items: {
    keysOf: ({ nftItems }) => nftItems.map(nftItemKey),
    key: "encode(address, 'hex') || ' ' || token_id || ' ' || erc_type",
    hasKey: "(address, token_id, erc_type) IN (SELECT * FROM unnest($2::bytea[], $3::numeric[], $4::text[]))",
    lists: nftItemLists,
    isAny: "metadata_state IN ('PENDING', 'DONE')",
  },
};

export const FIRST_SEEN_TABLES = Object.keys(TABLES) as FirstSeenTable[];

/** What differs, and the keys of rows that are wrong. */
export interface FirstSeenDifferences {
  readonly differences: readonly Difference[];
  readonly wrongKeys: readonly string[];
}

/**
 * Compares what came up first in these blocks, which follow each other, with the rows; those that name an earlier block were
 * compared with that. Two statements.
 */
export async function compareFirstSeen(
  session: Session,
  chainId: string,
  table: FirstSeenTable,
  blocks: readonly BlockRows[],
  within: BlockRange,
): Promise<FirstSeenDifferences> {
  const { keysOf } = TABLES[table];
  const expected = firstBlocks(blocks, keysOf);
  const found = await foundRows(session, chainId, table, [...expected.keys()], within);
  const missing = [...expected].filter(([key]) => !found.has(key));
  const wrong = [...found].filter(([key, first]) => first >= within.from && first !== expected.get(key));
  const tally = new Map<number, { missing: number; wrong: number }>();
  const count = (what: "missing" | "wrong", number: number) => {
    const counted = tally.get(number) ?? { missing: 0, wrong: 0 };
    counted[what]++;
    tally.set(number, counted);
  };
  for (const [, number] of missing) count("missing", number);
  for (const [key, first] of wrong) count("wrong", expected.get(key) ?? first);
  const named = new Map(blocks.map((block) => [block.number, new Set(keysOf(block)).size]));
  const differences = [...tally].map(([blockNumber, counted]) => {
    const all = named.get(blockNumber) ?? 0;
    const found = all === 0 ? counted.wrong : all - counted.missing;
    return { blockNumber, expected: all, found, wrong: counted.wrong };
  });
  return { differences: differences.sort(byNumber), wrongKeys: wrong.map(([key]) => key) };
}

const byNumber = (one: Difference, other: Difference): number => one.blockNumber - other.blockNumber;

/** By key the first block: of rows with these keys, and of those that say to have come up in these blocks. */
async function foundRows(
  session: Session,
  chainId: string,
  table: FirstSeenTable,
  keys: readonly string[],
  { from, to }: BlockRange,
): Promise<Map<string, number>> {
  const { key, hasKey, lists, isAny } = TABLES[table];
  const select = `SELECT ${key} AS key, first_block_number FROM ${table} WHERE chain_id = $1`;
  const rows = [
    ...(await session.query<FoundRow>(`${select} AND ${hasKey}`, [chainId, ...lists(keys)])),
    ...(await session.query<FoundRow>(`${select} AND ${isAny} AND first_block_number BETWEEN $2 AND $3`, [
      chainId,
      from,
      to,
    ])),
  ];
  return new Map(rows.map((row) => [row.key, Number(row.first_block_number)]));
}

interface FoundRow extends Record<string, unknown> {
  key: string;
  first_block_number: string;
}

/** Takes rows away. */
export async function deleteFirstSeen(
  session: Session,
  chainId: string,
  table: FirstSeenTable,
  keys: readonly string[],
): Promise<void> {
  const { hasKey, lists } = TABLES[table];
  if (keys.length > 0)
    await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND ${hasKey}`, [chainId, ...lists(keys)]);
}
