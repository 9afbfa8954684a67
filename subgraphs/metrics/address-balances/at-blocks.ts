import { type PartitionParameters, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { readInDirections } from "../../shared/rows/directions.ts";
import { ascending, endsOf, type Keyset, keysetOf, of } from "../../shared/rows/keyset.ts";
import { directedName, inBothDirections } from "../../shared/rows/list-reader.ts";
import { bigint, bytea } from "../../shared/rows/text-rows.ts";
import {
  type HoldingsAtBlock,
  type HoldingsAtBlockKey,
  type HoldingsAtBlocks,
  MAX_TOKENS,
} from "../addresses/past-holdings.ts";
import { IS_INDEXED } from "../chains/is-indexed.ts";
import { BALANCE_COLUMNS, balanceAt } from "../holders/balance-at.ts";
import type { Erc20BalanceRow } from "./store.ts";

const ORDER = ascending({ token_address: "bytea" });
const ENDS = endsOf(ORDER);

/** The limit in each part keeps the planner from sorting all tokens of the address. */
const everHeld = (condition: string, maxTokens: number, { after, orderBy }: Keyset): string =>
  `(SELECT t.token_address, ${BALANCE_COLUMNS} FROM erc20_holders t
          WHERE t.chain_id = $1 AND t.address = k.address AND ${after()} AND ${condition} ORDER BY ${orderBy()} LIMIT ${maxTokens})`;

/**
 * The next tokens that the address ever had are those that it has now and those that it has not: each are read in the order of an index
 * that has all their columns. OFFSET 0 keeps the planner from computing each balance twice.
 */
function balancesAtBlocksStatement(maxTokens: number, isBackward: boolean): string {
  const keyset = keysetOf(ORDER, ["k.token_address"], isBackward);
  return `SELECT k.request, h.block_number AS head, b.block_hash AS "blockHash", page.*
  FROM unnest($2::bytea[], $3::bigint[], $4::bytea[], $5::int[]) WITH ORDINALITY
      AS k(address, block_number, token_address, size, request)
    JOIN chain_heads h ON h.chain_id = $1 AND ${IS_INDEXED}
    LEFT JOIN evm_blocks b ON b.chain_id = $1 AND b.block_number = k.block_number
    LEFT JOIN LATERAL (
      WITH candidates AS MATERIALIZED (
        SELECT * FROM (${everHeld("t.balance > 0", maxTokens, keyset)}
          UNION ALL ${everHeld("t.balance <= 0", maxTokens, keyset)}) ever ORDER BY ${keyset.orderBy(of("ever"))} LIMIT ${maxTokens}),
      found AS MATERIALIZED (
        SELECT c.token_address, held.balance
        FROM (SELECT * FROM candidates ORDER BY ${keyset.orderBy(of("candidates"))}) c
          CROSS JOIN LATERAL (SELECT ${balanceAt("k.block_number")} AS balance OFFSET 0) held
        WHERE held.balance > 0 ORDER BY ${keyset.orderBy(of("c"))} LIMIT k.size),
      last_candidate AS MATERIALIZED (
        SELECT c.token_address FROM candidates c
        WHERE (SELECT count(*) FROM found) < k.size ORDER BY ${keyset.orderBy(of("c"))} LIMIT 1 OFFSET ${maxTokens - 1})
      SELECT found.token_address, found.balance, l.token_address AS "lastCandidate",
        (SELECT e.decimals FROM erc20_tokens e WHERE e.chain_id = $1 AND e.address = found.token_address
          AND e.metadata_status = 'INDEXED') AS decimals
      FROM (SELECT) one LEFT JOIN last_candidate l ON true LEFT JOIN found ON true
    ) page ON true
  ORDER BY k.request, ${keyset.orderBy(of("page"))}`;
}

interface Row {
  readonly request: string;
  readonly head: string;
  readonly blockHash: string | null;
  readonly lastCandidate: string | null;
  /** The columns of a token are null if the page is empty. */
  readonly token_address: string | null;
  readonly balance: string;
  readonly decimals: number | null;
}

export function createErc20BalancesAtBlocks(
  { pool }: Pick<Database, "pool">,
  maxTokens = MAX_TOKENS,
): HoldingsAtBlocks<Erc20BalanceRow> {
  const name = `metrics-erc20-balances-at-blocks-${maxTokens}`;
  const readers = inBothDirections((isBackward) => {
    const text = balancesAtBlocksStatement(maxTokens, isBackward);
    const statement = prepared<{ [Name in keyof Row]: Row[Name] }>(pool, directedName(name, isBackward), text);
    return readRowsOfKeys(statement, PARAMETERS);
  });
  return readInDirections(readers, pageOfRows);
}

const PARAMETERS: PartitionParameters<HoldingsAtBlockKey> = {
  partitionOf: ({ chainId }) => chainId,
  valuesOf: (keys) => [
    keys.map(({ address }) => bytea(address)),
    keys.map(({ blockNumber }) => bigint(blockNumber)),
    keys.map(({ after, isBackward }) => (after === null ? (isBackward ? ENDS.last : ENDS.first)[0] : bytea(after))),
    keys.map(({ size }) => size),
  ],
};

/** Nothing if the chain is not indexed. An empty page has one row, whose columns of a token are null. */
function pageOfRows(key: HoldingsAtBlockKey, rows: readonly Row[]): HoldingsAtBlock<Erc20BalanceRow>[] {
  const [row] = rows;
  if (!row) return [];
  const { head, blockHash, lastCandidate } = row;
  const items = rows.flatMap(({ token_address: tokenAddress, balance, decimals }) =>
    tokenAddress === null ? [] : [{ chainId: key.chainId, tokenAddress, balance, decimals }],
  );
  return [{ ...key, head, blockHash, items, lastCandidate }];
}
