import { pgBytes } from "../../../shared/pg-bytes.ts";
import { copiesOf } from "../../../shared/table-rows.ts";
import type { Session } from "../../../shared/writer.ts";
import type { SupplyChange } from "./holder-changes.ts";

/** Tables of the holders and the total supply of tokens after each block that changed one of them. */
export type SupplyTable = "erc20_supplies" | "nft_supplies";

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
    return {
      token_address: token,
      block_number: blockNumber,
      holder_count: after.holders,
      total_supply: after.supply,
    };
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
  const rows = await session.query<{ token: string; holders: string; supply: string }>(
    `SELECT encode(t.address, 'hex') AS token, s.holder_count AS holders, s.total_supply AS supply
     FROM unnest($2::bytea[]) AS t (address), LATERAL (
       SELECT holder_count, total_supply FROM ${table}
       WHERE chain_id = $1 AND token_address = t.address ORDER BY block_number DESC LIMIT 1) s`,
    [chainId, tokens.map(pgBytes)],
  );
  return new Map(
    rows.map(({ token, holders, supply }) => [token, { holders: Number(holders), supply: BigInt(supply) }]),
  );
}

/** Deletes the supplies of these tokens (hex without `0x`) after blocks above `ancestor`. */
export async function deleteSupplies(
  session: Session,
  table: SupplyTable,
  chainId: string,
  ancestor: number,
  tokens: readonly string[],
): Promise<void> {
  if (tokens.length === 0) return;
  await session.query(
    `DELETE FROM ${table} WHERE chain_id = $1 AND token_address = ANY ($2::bytea[]) AND block_number > $3`,
    [chainId, tokens.map(pgBytes), ancestor],
  );
}
