import { pgBytes } from "../../../shared/pg-bytes.ts";
import { type CopiedRow, copiesOf } from "../../../shared/table-rows.ts";
import type { Session } from "../../../shared/writer.ts";

/** A table of the current balances that are not 0, with the columns of its key after `chain_id` and their types. */
export interface BalanceTable {
  readonly name: "nft_holders" | "nft_holdings";
  readonly key: Readonly<Record<string, "bytea" | "numeric" | "text">>;
}

/** Numbers of tokens that an address holds of a collection, all token ids together. */
export const NFT_HOLDERS: BalanceTable = {
  name: "nft_holders",
  key: { token_address: "bytea", address: "bytea" },
};
export const NFT_HOLDINGS: BalanceTable = {
  name: "nft_holdings",
  key: { address: "bytea", token_address: "bytea", token_id: "numeric", erc_type: "text" },
};

/** The key of a balance, in the order of the table's key. Bytes are hex without `0x`. */
export type BalanceKey = readonly string[];

/** A balance before and after some blocks. */
export interface BalanceStep {
  readonly key: BalanceKey;
  readonly before: bigint;
  readonly after: bigint;
}

/** Reads the current balance of each key, in the same order; 0 without a row. One statement. */
export async function loadBalances(
  session: Session,
  { name, key }: BalanceTable,
  chainId: string,
  keys: readonly BalanceKey[],
): Promise<bigint[]> {
  if (keys.length === 0) return [];
  const columns = Object.keys(key);
  const rows = await session.query<{ balance: string }>(
    `SELECT coalesce(b.balance, 0) AS balance
     FROM unnest(${parametersOf(key)}) WITH ORDINALITY AS k (${columns.join(", ")}, i)
     LEFT JOIN ${name} b ON b.chain_id = $1 AND ${columns.map((column) => `b.${column} = k.${column}`).join(" AND ")}
     ORDER BY i`,
    [chainId, ...valuesByColumn(key, keys)],
  );
  return rows.map(({ balance }) => BigInt(balance));
}

/** Stores balances after some blocks, and deletes those that became 0. At most one COPY, one UPDATE and one DELETE. */
export async function storeBalances(
  session: Session,
  table: BalanceTable,
  chainId: string,
  steps: readonly BalanceStep[],
): Promise<void> {
  const changed = steps.filter(({ before, after }) => before !== after);
  const added = changed.filter(({ before }) => before === 0n);
  const removed = changed.filter(({ after }) => after === 0n);
  const updated = changed.filter(({ before, after }) => before !== 0n && after !== 0n);
  const rows = added.map(({ key, after }) => {
    const columns = Object.keys(table.key).map((name, i) => [name, key[i]]);
    return { ...Object.fromEntries(columns), balance: after } as CopiedRow<BalanceTable["name"]>;
  });
  await session.copy(copiesOf(table.name, chainId, rows));
  if (updated.length > 0) await updateBalances(session, table, chainId, updated);
  if (removed.length > 0) await deleteBalances(session, table, chainId, removed);
}

async function updateBalances(
  session: Session,
  { name, key }: BalanceTable,
  chainId: string,
  steps: readonly BalanceStep[],
): Promise<void> {
  const columns = Object.keys(key);
  const balances = `$${columns.length + 2}::numeric[]`;
  await session.query(
    `UPDATE ${name} b SET balance = k.balance
     FROM unnest(${parametersOf(key)}, ${balances}) AS k (${columns.join(", ")}, balance)
     WHERE b.chain_id = $1 AND ${columns.map((column) => `b.${column} = k.${column}`).join(" AND ")}`,
    [chainId, ...valuesByColumn(key, keysOf(steps)), steps.map(({ after }) => after.toString())],
  );
}

async function deleteBalances(
  session: Session,
  { name, key }: BalanceTable,
  chainId: string,
  steps: readonly BalanceStep[],
): Promise<void> {
  const columns = Object.keys(key);
  await session.query(
    `DELETE FROM ${name} b USING unnest(${parametersOf(key)}) AS k (${columns.join(", ")})
     WHERE b.chain_id = $1 AND ${columns.map((column) => `b.${column} = k.${column}`).join(" AND ")}`,
    [chainId, ...valuesByColumn(key, keysOf(steps))],
  );
}

const keysOf = (steps: readonly BalanceStep[]): BalanceKey[] => steps.map(({ key }) => key);

/** The parameters of a key's columns, from $2, as arguments of `unnest`. */
const parametersOf = (key: BalanceTable["key"]): string =>
  Object.values(key)
    .map((type, i) => `$${i + 2}::${type}[]`)
    .join(", ");

const valuesByColumn = (key: BalanceTable["key"], keys: readonly BalanceKey[]): string[][] =>
  Object.values(key).map((type, i) => keys.map(({ [i]: value = "" }) => (type === "bytea" ? pgBytes(value) : value)));
