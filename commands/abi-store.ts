import type pg from "pg";
import { type AbiEntry, selectorOf } from "../core/abi/abi-entry.ts";
import { ConfigError } from "../core/config/config.ts";

/** The contracts whose data an ABI decodes. */
export interface AbiScope {
  /** EVM chain id; null: all chains. */
  readonly chainId: number | null;
  /** `0x` hex in lower case; null: all contracts. */
  readonly address: string | null;
}

/** An ABI of the database. */
export interface StoredAbi {
  readonly id: number;
  readonly chainId: string | null;
  readonly address: string | null;
  readonly source: string;
  /** Unix time in seconds. */
  readonly createdAt: number;
  /** Number of functions, events and errors. */
  readonly entries: number;
}

const ADD = `WITH abi AS (
    INSERT INTO contract_abis (chain_id, address, source, created_at) VALUES ($1, $2, $3, $4) RETURNING abi_id
  ) INSERT INTO contract_abi_entries (abi_id, entry_index, chain_id, address, kind, selector, entry)
  SELECT abi.abi_id, e.position - 1, $1, $2, e.kind, e.selector, e.entry
  FROM abi, unnest($5::text[], $6::bytea[], $7::text[]) WITH ORDINALITY AS e(kind, selector, entry, position)
  RETURNING abi_id`;

const ABIS = `SELECT a.abi_id AS id, a.chain_id AS "chainId", '0x' || encode(a.address, 'hex') AS address, a.source,
    a.created_at::float8 AS "createdAt", (SELECT count(*)::int FROM contract_abi_entries e WHERE e.abi_id = a.abi_id) AS entries
  FROM contract_abis a`;

const REMOVE = `WITH removed AS (DELETE FROM contract_abis WHERE abi_id = $1 RETURNING *), entries AS (
    DELETE FROM contract_abi_entries WHERE abi_id = $1 RETURNING abi_id
  ) SELECT removed.abi_id AS id FROM removed`;

const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex");

/** Stores an ABI, and returns it. */
export async function addAbi(
  pool: pg.Pool,
  { chainId, address }: AbiScope,
  { source, entries }: { readonly source: string; readonly entries: readonly AbiEntry[] },
  nowSeconds: number,
): Promise<StoredAbi> {
  const { rows } = await pool.query<{ abi_id: number }>(ADD, [
    chainId,
    address === null ? null : bytesOf(address),
    source,
    nowSeconds,
    entries.map(({ kind }) => kind),
    entries.map((entry) => bytesOf(selectorOf(entry))),
    entries.map((entry) => JSON.stringify(entry)),
  ]);
  return requireAbi(pool, rows[0]?.abi_id ?? 0);
}

/** All ABIs, the oldest first. */
export async function listAbis(pool: pg.Pool): Promise<StoredAbi[]> {
  return (await pool.query<StoredAbi>(`${ABIS} ORDER BY a.abi_id`)).rows;
}

/** Removes an ABI, and returns it. Throws `ConfigError` if none has the id. */
export async function removeAbi(pool: pg.Pool, id: number): Promise<StoredAbi> {
  const abi = await requireAbi(pool, id);
  await pool.query(REMOVE, [id]);
  return abi;
}

async function requireAbi(pool: pg.Pool, id: number): Promise<StoredAbi> {
  const [found] = (await pool.query<StoredAbi>(`${ABIS} WHERE a.abi_id = $1`, [id])).rows;
  if (!found) throw new ConfigError(`no ABI has the id ${id}: moraine abi list prints the ids`);
  return found;
}
