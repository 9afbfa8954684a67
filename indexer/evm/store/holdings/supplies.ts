import { byteArray, numberArray } from "../../../shared/pg-arrays.ts";
import { type CopiedRow, copiesOf } from "../../../shared/table-rows.ts";
import type { Session } from "../../../shared/writer.ts";
import type { SupplyChange } from "./holder-changes.ts";

/** Tables of the holders and the total supply of tokens after each block that changed one of them. */
export type SupplyTable = "erc20_supplies" | "nft_supplies" | "erc1155_supplies";

/** The columns by which a table identifies a token, with their types. */
const KEYS: Readonly<Record<SupplyTable, Readonly<Record<string, "bytea" | "numeric">>>> = {
  erc20_supplies: { token_address: "bytea" },
  nft_supplies: { token_address: "bytea" },
  erc1155_supplies: { token_address: "bytea", token_id: "numeric" },
};

/** Stores the supplies after blocks that follow all stored ones. One SELECT and one COPY. */
export async function insertSupplies(
  session: Session,
  table: SupplyTable,
  chainId: string,
  changes: readonly SupplyChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const latest = await latestSupplies(session, table, chainId, [...new Set(changes.map(({ token }) => token))]);
  const rows = changes.map(({ token, blockNumber, holders, supply }) => {
    const before = latest.get(token) ?? { holders: 0, supply: 0n };
    const after = { holders: before.holders + holders, supply: before.supply + supply };
    latest.set(token, after);
    const values = token.split(" ");
    const key = Object.keys(KEYS[table]).map((column, i) => [column, values[i]]);
    return {
      ...Object.fromEntries(key),
      block_number: blockNumber,
      holder_count: after.holders,
      total_supply: after.supply,
    } as CopiedRow<SupplyTable>;
  });
  await session.copy(copiesOf(table, chainId, rows));
}

interface Supply {
  readonly holders: number;
  readonly supply: bigint;
}

async function latestSupplies(
  session: Session,
  table: SupplyTable,
  chainId: string,
  tokens: readonly string[],
): Promise<Map<string, Supply>> {
  const { keys, matches, values } = keysOf(table, tokens);
  const rows = await session.query<{ i: string; holders: string; supply: string }>(
    `SELECT k.i, s.holder_count AS holders, s.total_supply AS supply
     FROM ${keys}, LATERAL (
       SELECT holder_count, total_supply FROM ${table} t
       WHERE t.chain_id = $1 AND ${matches} ORDER BY t.block_number DESC LIMIT 1) s`,
    [chainId, ...values],
  );
  return new Map(
    rows.map(({ i, holders, supply }) => [
      tokens[Number(i) - 1] ?? "",
      { holders: Number(holders), supply: BigInt(supply) },
    ]),
  );
}

/** Deletes the supplies of these tokens after blocks above `ancestor`. */
export async function deleteSupplies(
  session: Session,
  table: SupplyTable,
  chainId: string,
  ancestor: number,
  tokens: readonly string[],
): Promise<void> {
  if (tokens.length === 0) return;
  const { keys, matches, values } = keysOf(table, tokens);
  await session.query(
    `DELETE FROM ${table} t USING ${keys} WHERE t.chain_id = $1 AND ${matches} AND t.block_number > $${values.length + 2}`,
    [chainId, ...values, ancestor],
  );
}

/** The keys `k` of tokens as a table, numbered from 1, the condition that row `t` belongs to one of them, and the parameters from $2 on. */
function keysOf(table: SupplyTable, tokens: readonly string[]) {
  const columns = Object.entries(KEYS[table]);
  const parts = tokens.map((token) => token.split(" "));
  return {
    keys: `unnest(${columns.map(([, type], i) => `$${i + 2}::${type}[]`).join(", ")}) WITH ORDINALITY AS k (${columns.map(([column]) => column).join(", ")}, i)`,
    matches: columns.map(([column]) => `t.${column} = k.${column}`).join(" AND "),
    values: columns.map(([, type], i) => {
      const ofColumn = parts.map(({ [i]: value = "" }) => value);
      return type === "bytea" ? byteArray(ofColumn) : numberArray(ofColumn.map(BigInt));
    }),
  };
}
