import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import type { BlockRange } from "../block-range.ts";
import type { BlockRows } from "../decode/block.ts";
import { firstBlocks, nftItemColumns, nftItemKey } from "../store/first-seen.ts";
import type { FirstSeenTable } from "../store/tables.ts";
import type { Difference } from "./compare-rows.ts";
import { type Example, NO_ROW } from "./example.ts";

interface FirstSeen {
  readonly keysOf: (block: BlockRows) => readonly string[];
  /** SQL that returns the key of a row in the text form of `keysOf`. */
  readonly key: string;
  /** SQL condition for rows with given keys; `parameters` gives the values from `$2` on. */
  readonly hasKey: string;
  readonly parameters: (keys: readonly string[]) => unknown[];
  /**
   * SQL condition that is true for every row. It names the column before `first_block_number` in an index, so that PostgreSQL
   * can use this index.
   */
  readonly isAny: string;
}

const contracts = (keysOf: FirstSeen["keysOf"]): FirstSeen => ({
  keysOf,
  key: "encode(address, 'hex')",
  hasKey: "address = ANY ($2::bytea[])",
  parameters: (keys) => [keys.map(pgBytes)],
  isAny: "metadata_status IN ('PENDING', 'UNAVAILABLE', 'INDEXED')",
});

const TABLES: Readonly<Record<FirstSeenTable, FirstSeen>> = {
  erc20_tokens: contracts(({ tokens }) => tokens),
  nft_contracts: contracts(({ nftContracts }) => nftContracts),
  nft_items: {
    keysOf: ({ nftItems }) => nftItems.map(nftItemKey),
    key: "encode(address, 'hex') || ' ' || token_id || ' ' || erc_type",
    hasKey: "(address, token_id, erc_type) IN (SELECT * FROM unnest($2::bytea[], $3::numeric[], $4::text[]))",
    parameters: nftItemColumns,
    isAny: "metadata_state IN ('PENDING', 'DONE')",
  },
};

/** The differences by block, and the keys of wrong rows. */
export interface FirstSeenDifferences {
  readonly differences: readonly Difference[];
  readonly wrongKeys: readonly string[];
  /** One of the rows; undefined without differences. */
  readonly example: Example | undefined;
}

/**
 * Compares the rows of contracts or tokens that first appear in these consecutive blocks. Rows whose first block is before
 * `within` were compared with that block. Two statements.
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
  const counts = new Map<number, { missing: number; wrong: number }>();
  const count = (kind: "missing" | "wrong", number: number) => {
    const counted = counts.get(number) ?? { missing: 0, wrong: 0 };
    counted[kind]++;
    counts.set(number, counted);
  };
  for (const [, number] of missing) count("missing", number);
  for (const [key, first] of wrong) count("wrong", expected.get(key) ?? first);
  const keysPerBlock = new Map(blocks.map((block) => [block.number, new Set(keysOf(block)).size]));
  const differences = [...counts].map(([blockNumber, counted]) => {
    const keys = keysPerBlock.get(blockNumber) ?? 0;
    const rows = keys === 0 ? counted.wrong : keys - counted.missing;
    return { blockNumber, expected: keys, found: rows, wrong: counted.wrong };
  });
  const wrongKeys = wrong.map(([key]) => key);
  const [key] = [...wrongKeys, ...missing.map(([one]) => one)];
  const textOf = (block: number | undefined) => (block === undefined ? NO_ROW : `first_block_number=${block}`);
  const example =
    key === undefined ? undefined : { key, indexed: textOf(found.get(key)), expected: textOf(expected.get(key)) };
  return { differences: differences.sort(byNumber), wrongKeys, example };
}

const byNumber = (one: Difference, other: Difference): number => one.blockNumber - other.blockNumber;

/** The first block by key, of rows with these keys and of rows whose first block is within the range. */
async function foundRows(
  session: Session,
  chainId: string,
  table: FirstSeenTable,
  keys: readonly string[],
  { from, to }: BlockRange,
): Promise<Map<string, number>> {
  const { key, hasKey, parameters, isAny } = TABLES[table];
  const select = `SELECT ${key} AS key, first_block_number FROM ${table} WHERE chain_id = $1`;
  const rows = [
    ...(await session.query<FoundRow>(`${select} AND ${hasKey}`, [chainId, ...parameters(keys)])),
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

export async function deleteFirstSeen(
  session: Session,
  chainId: string,
  table: FirstSeenTable,
  keys: readonly string[],
): Promise<void> {
  const { hasKey, parameters } = TABLES[table];
  if (keys.length > 0)
    await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND ${hasKey}`, [chainId, ...parameters(keys)]);
}
