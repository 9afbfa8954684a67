import { hexBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import type { Token } from "./fetch-token-uri.ts";
import { type ErcType, type Metadata, NO_METADATA } from "./metadata.ts";
import type { MetadataStatus } from "./statuses.ts";

/** Most tokens of a kind (new ones, and those to be looked at again) that are looked at in one go. */
export const PAGE = 32;

/** A token whose metadata is to be looked at. */
export interface Item extends Token {
  readonly firstBlockNumber: number;
  /** Hex without `0x`: the branch of the chain on which the token is. */
  readonly firstBlockHash: string;
  /** What the last look brought; null before the first. */
  readonly indexStatus: MetadataStatus | null;
  /** Looks in a row that failed for a while. */
  readonly attempts: number;
  /** Its metadata is known from before a replay: nobody need be asked. */
  readonly isKnown: boolean;
}

/** What a look at a token brought. */
export interface Look {
  readonly item: Item;
  /** As the contract gave it; empty when it gave none. */
  readonly tokenUri: string;
  readonly indexStatus: MetadataStatus;
  readonly metadata: Metadata;
  /** Seconds since the epoch. */
  readonly lookedAt: number;
  readonly attempts: number;
  /** Seconds since the epoch; null: not before somebody asks for it. */
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
  is_known: boolean;
}

const ITEM = `'0x' || encode(i.address, 'hex') AS address, i.token_id, i.erc_type, i.first_block_number,
  encode(b.block_hash, 'hex') AS first_block_hash, m.index_status, coalesce(m.attempts, 0) AS attempts`;
const BLOCK = "evm_blocks b ON b.chain_id = $1 AND b.block_number = i.first_block_number";
const IS_SAME =
  "m.chain_id = i.chain_id AND m.address = i.address AND m.token_id = i.token_id AND m.erc_type = i.erc_type";
const IS_AWAKE = `NOT EXISTS (SELECT FROM unnest($2::bytea[], $3::numeric[]) AS r (address, token_id)
  WHERE r.address = i.address AND r.token_id = i.token_id)`;

const NEW_ITEMS = `SELECT ${ITEM}, m.chain_id IS NOT NULL AS is_known
  FROM nft_items i JOIN ${BLOCK} LEFT JOIN nft_metadata m ON ${IS_SAME}
  WHERE i.chain_id = $1 AND i.metadata_state = 'PENDING' AND ${IS_AWAKE}
  ORDER BY i.first_block_number LIMIT ${PAGE}`;

const DUE_ITEMS = `SELECT ${ITEM}, false AS is_known
  FROM nft_metadata m JOIN nft_items i ON ${IS_SAME} JOIN ${BLOCK}
  WHERE m.chain_id = $1 AND m.next_attempt_at <= $4 AND i.metadata_state = 'DONE' AND ${IS_AWAKE}
  ORDER BY m.next_attempt_at LIMIT ${PAGE}`;

/** Tokens that were not looked at yet, oldest first, then those that are due again; without those in `resting`. */
export async function itemsToLookAt(
  session: Session,
  chainId: string,
  nowSeconds: number,
  resting: readonly Pick<Token, "address" | "tokenId">[],
): Promise<Item[]> {
  const rest = [resting.map(({ address }) => hexBytes(address)), resting.map(({ tokenId }) => tokenId)];
  const fresh = await session.query<ItemRow>(NEW_ITEMS, [chainId, ...rest]);
  const due = await session.query<ItemRow>(DUE_ITEMS, [chainId, ...rest, nowSeconds]);
  return [...fresh, ...due].map((row) => ({
    address: row.address,
    tokenId: row.token_id,
    ercType: row.erc_type,
    firstBlockNumber: Number(row.first_block_number),
    firstBlockHash: row.first_block_hash,
    indexStatus: row.index_status,
    attempts: row.attempts,
    isKnown: row.is_known,
  }));
}

/** SQL type by column of what is handed over of a look. */
const KEY = { address: "bytea", token_id: "numeric", erc_type: "text" } as const;
const QUEUE = { metadata_last_updated_timestamp: "bigint", attempts: "int", next_attempt_at: "bigint" } as const;
const FOUND = {
  token_uri: "text",
  index_status: "text",
  ...(Object.fromEntries(
    Object.keys(NO_METADATA).map((column) => [column, column === "decimals" ? "int" : "text"]),
  ) as Record<keyof Metadata, string>),
  ...QUEUE,
};
const HANDED_OVER = { ...KEY, first_block_hash: "bytea", ...FOUND };

const setTo = (columns: object, source: string): string =>
  Object.keys(columns)
    .map((column) => `${column} = ${source}.${column}`)
    .join(", ");
const listOf = (columns: object, ...prefix: string[]): string => [...prefix, ...Object.keys(columns)].join(", ");

/** Those of the looks whose token is still on the same branch of the chain; they are done. */
const STILL_THERE = `WITH looks AS (
    SELECT * FROM json_to_recordset($2::json) AS l (${Object.entries(HANDED_OVER)
      .map(([column, type]) => `${column} ${type}`)
      .join(", ")})
  ), known AS (
    UPDATE nft_items i SET metadata_state = 'DONE' FROM looks l, evm_blocks b
    WHERE i.chain_id = $1 AND i.address = l.address AND i.token_id = l.token_id AND i.erc_type = l.erc_type
      AND b.chain_id = $1 AND b.block_number = i.first_block_number AND b.block_hash = l.first_block_hash
    RETURNING l.*
  )`;

const STORE = `${STILL_THERE}
  INSERT INTO nft_metadata (${listOf({ ...KEY, ...FOUND }, "chain_id")})
  SELECT ${listOf({ ...KEY, ...FOUND }, "$1")} FROM known
  ON CONFLICT (chain_id, address, token_id, erc_type) DO UPDATE SET ${setTo(FOUND, "excluded")}`;

const POSTPONE = `${STILL_THERE}
  UPDATE nft_metadata m SET ${setTo(QUEUE, "k")} FROM known k
  WHERE m.chain_id = $1 AND m.address = k.address AND m.token_id = k.token_id AND m.erc_type = k.erc_type`;

/** Keeps what the looks brought; of tokens that are not on the same branch any more nothing. */
export async function storeLooks(session: Session, chainId: string, looks: readonly Look[]): Promise<void> {
  if (looks.length > 0) await session.query(STORE, [chainId, handedOver(looks)]);
}

/** Keeps what was known before the looks, and when to look again. */
export async function postponeLooks(session: Session, chainId: string, looks: readonly Look[]): Promise<void> {
  if (looks.length > 0) await session.query(POSTPONE, [chainId, handedOver(looks)]);
}

function handedOver(looks: readonly Look[]): string {
  const rows = looks.map(({ item, tokenUri, indexStatus, metadata, lookedAt, attempts, nextAttemptAt }) => ({
    address: hexBytes(item.address),
    token_id: item.tokenId,
    erc_type: item.ercType,
    first_block_hash: `\\x${item.firstBlockHash}`,
    token_uri: tokenUri,
    index_status: indexStatus,
    ...metadata,
    metadata_last_updated_timestamp: lookedAt,
    attempts,
    next_attempt_at: nextAttemptAt,
  }));
  return JSON.stringify(rows);
}

/** Marks tokens whose metadata is known as looked at. */
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

/**
 * Forgets the metadata of tokens that came up above `ancestor`: on another branch they may be other tokens. To be called
 * before the rows are rolled back; not a part of that, because a replay meets rollbacks from before what is stored now.
 */
export async function forgetNftMetadata(session: Session, chainId: string, ancestor: number): Promise<void> {
  await session.query(
    `DELETE FROM nft_metadata m USING nft_items i
     WHERE m.chain_id = $1 AND i.chain_id = $1 AND i.first_block_number > $2 AND ${IS_SAME}`,
    [chainId, ancestor],
  );
}

/** Which tokens to look at anew. */
export interface Requeued {
  readonly address?: string;
  readonly tokenId?: string;
  /** Only those without metadata. */
  readonly onlyFailed: boolean;
}

/** Has the metadata of tokens looked at anew as if it were the first time, and returns of how many. Those that wait for their first look are not counted. */
export async function requeueNftMetadata(
  session: Session,
  chainId: string,
  { address, tokenId, onlyFailed }: Requeued,
): Promise<number> {
  const rows = await session.query<{ count: number }>(
    `WITH requeued AS (
       UPDATE nft_metadata SET attempts = 0, next_attempt_at = floor(extract(epoch FROM now()))::bigint
       WHERE chain_id = $1 AND ($2::bytea IS NULL OR address = $2) AND ($3::numeric IS NULL OR token_id = $3)
         AND (NOT $4 OR index_status <> 'INDEXED')
       RETURNING 1
     ) SELECT count(*)::int AS count FROM requeued`,
    [chainId, address ? hexBytes(address) : null, tokenId ?? null, onlyFailed],
  );
  return rows[0]?.count ?? 0;
}

/** Has those looked at that were not while `nftMetadata.remote` was off. */
export async function requeueUntried(session: Session, chainId: string): Promise<void> {
  await session.query(
    `UPDATE nft_metadata SET next_attempt_at = floor(extract(epoch FROM now()))::bigint
     WHERE chain_id = $1 AND index_status = 'UNINDEXED' AND next_attempt_at IS NULL`,
    [chainId],
  );
}
