import { hexBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import type { FirstBlock } from "../contract-calls/read-if-node-has-block.ts";
import type { Token } from "./fetch-token-uri.ts";
import { type ErcType, type Metadata, NO_METADATA } from "./metadata.ts";
import type { MetadataStatus } from "./statuses.ts";

/** Maximum number of new tokens on a page, and maximum number of tokens that are due again. */
export const PAGE = 32;

/** A token whose metadata is to be read. */
export interface Item extends Token, FirstBlock {
  /** Result of the last attempt; null before the first. */
  readonly indexStatus: MetadataStatus | null;
  /** Consecutive attempts that failed temporarily. */
  readonly attempts: number;
  /** Consecutive attempts at which the node could not call the contract. */
  readonly nodeFailures: number;
  /** Its metadata is stored from before a replay and need not be read. */
  readonly isStored: boolean;
}

/** Result of an attempt to read a token's metadata. */
export interface Attempt {
  readonly item: Item;
  /** The URI that the contract returned; empty if it returned none. */
  readonly tokenUri: string;
  readonly indexStatus: MetadataStatus;
  readonly metadata: Metadata;
  /** Seconds since the epoch. */
  readonly attemptedAt: number;
  readonly attempts: number;
  /** Consecutive attempts at which the node could not call the contract; 0 if it could call it now. */
  readonly nodeFailures: number;
  /** Seconds since the epoch; null if the metadata is read again only on request. */
  readonly nextAttemptAt: number | null;
}

interface ItemRow extends Record<string, unknown> {
  address: string;
  token_id: string;
  erc_type: ErcType;
  first_block_number: string;
  first_block_hash: string;
  index_status: MetadataStatus | null;
  attempts: number;
  node_failures: number;
  is_stored: boolean;
}

const ITEM = `'0x' || encode(i.address, 'hex') AS address, i.token_id, i.erc_type, i.first_block_number,
  encode(b.block_hash, 'hex') AS first_block_hash, m.index_status, coalesce(m.attempts, 0) AS attempts,
  coalesce(m.node_failures, 0) AS node_failures`;
const BLOCK = "evm_blocks b ON b.chain_id = $1 AND b.block_number = i.first_block_number";
const IS_SAME_TOKEN =
  "m.chain_id = $1 AND m.address = i.address AND m.token_id = i.token_id AND m.erc_type = i.erc_type";

const NEW_ITEMS = `SELECT ${ITEM}, m.chain_id IS NOT NULL AS is_stored
  FROM nft_items i JOIN ${BLOCK} LEFT JOIN nft_metadata m ON ${IS_SAME_TOKEN}
  WHERE i.chain_id = $1 AND i.metadata_state = 'PENDING'
  ORDER BY i.first_block_number LIMIT ${PAGE}`;

const DUE_ITEMS = `SELECT ${ITEM}, false AS is_stored
  FROM nft_metadata m JOIN nft_items i ON ${IS_SAME_TOKEN} JOIN ${BLOCK}
  WHERE m.chain_id = $1 AND m.next_attempt_at <= $2 AND i.chain_id = $1 AND i.metadata_state = 'DONE'
  ORDER BY m.next_attempt_at LIMIT ${PAGE}`;

/** Tokens without an attempt, oldest first, then those that are due again. */
export async function pendingItems(session: Session, chainId: string, nowSeconds: number): Promise<Item[]> {
  const fresh = await session.query<ItemRow>(NEW_ITEMS, [chainId]);
  const due = await session.query<ItemRow>(DUE_ITEMS, [chainId, nowSeconds]);
  return [...fresh, ...due].map((row) => ({
    address: row.address,
    tokenId: row.token_id,
    ercType: row.erc_type,
    firstBlockNumber: Number(row.first_block_number),
    firstBlockHash: row.first_block_hash,
    indexStatus: row.index_status,
    attempts: row.attempts,
    nodeFailures: row.node_failures,
    isStored: row.is_stored,
  }));
}

/** Columns of `nft_metadata` that an attempt sets, by SQL type. */
const KEY = { address: "bytea", token_id: "numeric", erc_type: "text" } as const;
const SCHEDULE = {
  metadata_last_updated_timestamp: "bigint",
  attempts: "int",
  node_failures: "int",
  next_attempt_at: "bigint",
} as const;
const RESULT = {
  token_uri: "text",
  index_status: "text",
  ...(Object.fromEntries(
    Object.keys(NO_METADATA).map((column) => [column, column === "decimals" ? "int" : "text"]),
  ) as Record<keyof Metadata, string>),
  ...SCHEDULE,
};
const PARAMETER = { ...KEY, first_block_hash: "bytea", ...RESULT };

const setTo = (columns: object, source: string): string =>
  Object.keys(columns)
    .map((column) => `${column} = ${source}.${column}`)
    .join(", ");
const listOf = (columns: object, ...prefix: string[]): string => [...prefix, ...Object.keys(columns)].join(", ");

/** Marks as done those tokens of the attempts whose first block is still the indexed one, and returns them. */
const MARK_CURRENT = `WITH results AS (
    SELECT * FROM json_to_recordset($2::json) AS l (${Object.entries(PARAMETER)
      .map(([column, type]) => `${column} ${type}`)
      .join(", ")})
  ), marked AS (
    UPDATE nft_items i SET metadata_state = 'DONE' FROM results l, evm_blocks b
    WHERE i.chain_id = $1 AND i.address = l.address AND i.token_id = l.token_id AND i.erc_type = l.erc_type
      AND b.chain_id = $1 AND b.block_number = i.first_block_number AND b.block_hash = l.first_block_hash
    RETURNING l.*
  )`;

const STORE = `${MARK_CURRENT}
  INSERT INTO nft_metadata (${listOf({ ...KEY, ...RESULT }, "chain_id")})
  SELECT ${listOf({ ...KEY, ...RESULT }, "$1")} FROM marked
  ON CONFLICT (chain_id, address, token_id, erc_type) DO UPDATE SET ${setTo(RESULT, "excluded")}`;

const POSTPONE = `${MARK_CURRENT}
  UPDATE nft_metadata m SET ${setTo(SCHEDULE, "k")} FROM marked k
  WHERE m.chain_id = $1 AND m.address = k.address AND m.token_id = k.token_id AND m.erc_type = k.erc_type`;

/** Stores the results. Skips tokens whose first block is no longer the indexed one. */
export async function storeAttempts(session: Session, chainId: string, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length > 0) await session.query(STORE, [chainId, attemptsJson(attempts)]);
}

/** Keeps the stored metadata, and stores when to retry. */
export async function postponeAttempts(session: Session, chainId: string, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length > 0) await session.query(POSTPONE, [chainId, attemptsJson(attempts)]);
}

function attemptsJson(attempts: readonly Attempt[]): string {
  const rows = attempts.map(
    ({ item, tokenUri, indexStatus, metadata, attemptedAt, attempts: count, nodeFailures, nextAttemptAt }) => ({
      address: hexBytes(item.address),
      token_id: item.tokenId,
      erc_type: item.ercType,
      first_block_hash: `\\x${item.firstBlockHash}`,
      token_uri: tokenUri,
      index_status: indexStatus,
      ...metadata,
      metadata_last_updated_timestamp: attemptedAt,
      attempts: count,
      node_failures: nodeFailures,
      next_attempt_at: nextAttemptAt,
    }),
  );
  return JSON.stringify(rows);
}

/** Marks tokens whose metadata is stored as done. */
export async function markDone(session: Session, chainId: string, items: readonly Token[]): Promise<void> {
  if (items.length === 0) return;
  await session.query(
    `UPDATE nft_items i SET metadata_state = 'DONE'
     FROM unnest($2::bytea[], $3::numeric[], $4::text[]) AS d (address, token_id, erc_type)
     WHERE i.chain_id = $1 AND i.address = d.address AND i.token_id = d.token_id AND i.erc_type = d.erc_type`,
    [
      chainId,
      items.map(({ address }) => hexBytes(address)),
      items.map(({ tokenId }) => tokenId),
      items.map(({ ercType }) => ercType),
    ],
  );
}

/** Selects the tokens to read again. */
export interface RequeueFilter {
  readonly address?: string;
  readonly tokenId?: string;
  /** True to select only tokens without metadata. */
  readonly onlyFailed: boolean;
}

/**
 * Schedules tokens to be read again with a fresh count of attempts, and returns their number. Tokens without an attempt are due
 * anyway, and are not counted.
 */
export async function requeueNftMetadata(
  session: Session,
  chainId: string,
  { address, tokenId, onlyFailed }: RequeueFilter,
): Promise<number> {
  const rows = await session.query<{ count: number }>(
    `WITH requeued AS (
       UPDATE nft_metadata SET attempts = 0, node_failures = 0, next_attempt_at = floor(extract(epoch FROM now()))::bigint
       WHERE chain_id = $1 AND ($2::bytea IS NULL OR address = $2) AND ($3::numeric IS NULL OR token_id = $3)
         AND (NOT $4 OR index_status <> 'INDEXED')
       RETURNING 1
     ) SELECT count(*)::int AS count FROM requeued`,
    [chainId, address ? hexBytes(address) : null, tokenId ?? null, onlyFailed],
  );
  return rows[0]?.count ?? 0;
}

/** Schedules the tokens that were not attempted because `nftMetadata.remote` was off. */
export async function requeueUnattempted(session: Session, chainId: string): Promise<void> {
  await session.query(
    `UPDATE nft_metadata SET next_attempt_at = floor(extract(epoch FROM now()))::bigint
     WHERE chain_id = $1 AND index_status = 'UNINDEXED' AND next_attempt_at IS NULL`,
    [chainId],
  );
}
