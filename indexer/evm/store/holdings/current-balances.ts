import { pgBytes } from "../../../shared/pg-bytes.ts";
import { type CopiedRow, copiesOf } from "../../../shared/table-rows.ts";
import type { Session } from "../../../shared/writer.ts";

/** A table of the current balances that are not 0, with the columns of its key after `chain_id` and their types. */
export interface BalanceTable {
  readonly name: "nft_holders" | "nft_holdings";
  /** The table of the balances after each block that changed them. */
  readonly history: "nft_collection_balances" | "nft_item_balances";
  readonly key: Readonly<Record<string, "bytea" | "numeric" | "text">>;
}

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
  const rows = added.map(
    ({ key, after }) => ({ ...keyColumns(table, key), balance: after }) as CopiedRow<BalanceTable["name"]>,
  );
  await session.copy(copiesOf(table.name, chainId, rows));
  if (updated.length > 0) await updateBalances(session, table, chainId, updated);
  if (removed.length > 0) await deleteBalances(session, table, chainId, removed);
}

/** A balance after a block. */
export interface BalanceAfter {
  readonly key: BalanceKey;
  readonly blockNumber: number;
  readonly balance: bigint;
}

/** Stores the balances after blocks that follow all stored ones. One COPY. */
export function insertHistory(
  session: Session,
  table: BalanceTable,
  chainId: string,
  balances: readonly BalanceAfter[],
): Promise<void> {
  const rows = balances.map(
    ({ key, blockNumber, balance }) =>
      ({ ...keyColumns(table, key), block_number: blockNumber, balance }) as CopiedRow<BalanceTable["history"]>,
  );
  return session.copy(copiesOf(table.history, chainId, rows));
}

/** Deletes the balances with these keys after blocks above `ancestor`. */
export async function deleteHistory(
  session: Session,
  { history, key }: BalanceTable,
  chainId: string,
  ancestor: number,
  keys: readonly BalanceKey[],
): Promise<void> {
  if (keys.length === 0) return;
  const columns = Object.keys(key);
  await session.query(
    `DELETE FROM ${history} b USING unnest(${parametersOf(key)}) AS k (${columns.join(", ")})
     WHERE b.chain_id = $1 AND ${columns.map((column) => `b.${column} = k.${column}`).join(" AND ")} AND b.block_number > $${columns.length + 2}`,
    [chainId, ...valuesByColumn(key, keys), ancestor],
  );
}

const keyColumns = ({ key }: BalanceTable, values: BalanceKey): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.keys(key).map((name, i) => [name, values[i]]));

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
