import { type PartitionParameters, readRowsByPartition, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { checksumAddress } from "../../../core/formats/address.ts";
import type { Work } from "../../../core/work/work.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import { createMetadataRequest } from "../contracts/metadata-request.ts";
import { MIN_REINDEX_SECONDS } from "../contracts/store.ts";
import type { Erc721Token, Erc721TokenMetadata, Erc1155Token, Erc1155TokenMetadata } from "./types.ts";

export interface NftKey {
  readonly chainId: string;
  readonly address: string;
  readonly tokenId: string;
}

/** The owner of an ERC-721 token after a block. */
export interface Erc721OwnerKey extends NftKey {
  readonly blockNumber: string;
}

export interface Erc721Owner extends Erc721OwnerKey {
  /** Null if the token was burned, or if no transfer up to the block is indexed. */
  readonly ownerAddress: string | null;
}

export interface NftTokenStore {
  /** Reads the tokens that have an ERC-721 transfer, in any order. One statement for each chain. */
  erc721(keys: readonly NftKey[], work: Work): Promise<Erc721Token[]>;
  /** Reads the owners of ERC-721 tokens after blocks. One statement for each chain, which reads one entry of an index for each key. */
  erc721Owners(keys: readonly Erc721OwnerKey[], work: Work): Promise<Erc721Owner[]>;
  /** Reads the tokens that have an ERC-1155 transfer, in any order. One statement for each chain. */
  erc1155(keys: readonly NftKey[], work: Work): Promise<Erc1155Token[]>;
  /**
   * Queues a token so that its metadata is read again, at the earliest one minute after the previous attempt. Throws `NOT_FOUND`
   * if no transfer of the token is indexed, `UNAVAILABLE` if no block of the chain is indexed.
   */
  reindex(key: NftKey, work: Work): Promise<void>;
}

const METADATA = `coalesce(m.token_uri, '') AS "tokenUri", coalesce(m.index_status, 'UNINDEXED') AS "indexStatus",
  m.metadata_last_updated_timestamp AS "metadataLastUpdatedTimestamp", m.name AS "metadataName",
  m.symbol AS "metadataSymbol", m.image_uri AS "imageUri", m.description, m.animation_uri AS "animationUri",
  m.external_url AS "externalUrl", m.background`;

const itemsOf = (ercType: string): string => `unnest($2::bytea[], $3::numeric[]) AS k(address, token_id)
  JOIN nft_items i ON i.chain_id = $1 AND i.address = k.address AND i.token_id = k.token_id
  LEFT JOIN nft_metadata m
    ON m.chain_id = $1 AND m.address = k.address AND m.token_id = k.token_id AND m.erc_type = i.erc_type
  LEFT JOIN nft_contracts c ON c.chain_id = $1 AND c.address = k.address
  WHERE i.erc_type = '${ercType}'`;

const KEY = `$1::bigint AS "chainId", k.address, k.token_id AS "tokenId"`;

/** Recipient of the last transfer of token `k`. */
const ownerOf = (
  upTo = "",
): string => `(SELECT nullif(t.to_address, decode(repeat('00', 20), 'hex')) FROM erc721_transfers t
      WHERE t.chain_id = $1 AND t.token_address = k.address AND t.token_id = k.token_id ${upTo}
      ORDER BY t.block_number DESC, t.log_index DESC LIMIT 1) AS "ownerAddress"`;

const ERC_721 = `SELECT ${KEY}, ${METADATA}, m.attributes,
    coalesce(c.name, '') AS name, coalesce(c.symbol, '') AS symbol, ${ownerOf()}
  FROM ${itemsOf("ERC-721")}`;

const ERC_721_OWNERS = `SELECT k.request, ${ownerOf("AND t.block_number <= k.block_number")}
  FROM unnest($2::bytea[], $3::numeric[], $4::bigint[]) WITH ORDINALITY AS k(address, token_id, block_number, request)`;

const ERC_1155 = `SELECT ${KEY}, ${METADATA}, m.decimals, m.properties FROM ${itemsOf("ERC-1155")}`;

/** Does nothing for a token whose metadata was never read: the token is in the queue already. */
const REINDEX = `WITH item AS (
    SELECT erc_type FROM nft_items WHERE chain_id = $1 AND address = $2 AND token_id = $3
  ), queued AS (
    UPDATE nft_metadata m SET attempts = 0, node_failures = 0,
      next_attempt_at = greatest($4::bigint, coalesce(m.metadata_last_updated_timestamp, 0) + ${MIN_REINDEX_SECONDS})
    FROM item WHERE m.chain_id = $1 AND m.address = $2 AND m.token_id = $3 AND m.erc_type = item.erc_type
  ) SELECT count(*)::int AS count FROM item`;

type Metadata = Erc721TokenMetadata | Erc1155TokenMetadata;
type Row<Own> = NftKey &
  Omit<Metadata, "name" | "symbol"> &
  Own & { readonly tokenUri: string; readonly metadataName: string | null; readonly metadataSymbol: string | null };
type Erc721Row = Row<Pick<Erc721Token, "name" | "symbol" | "ownerAddress"> & { readonly attributes: string | null }>;
type Erc1155Row = Row<Pick<Erc1155TokenMetadata, "decimals"> & { readonly properties: string | null }>;

export function createNftTokenStore(
  { pool }: Pick<Database, "pool">,
  nowSeconds: () => number = () => Math.floor(Date.now() / 1_000),
): NftTokenStore {
  const erc721 = prepared<Erc721Row>(pool, "erc721-tokens", ERC_721);
  const erc1155 = prepared<Erc1155Row>(pool, "erc1155-tokens", ERC_1155);
  const readErc721 = readRowsByPartition(erc721, PARAMETERS);
  const erc721Owners = prepared<{ request: string; ownerAddress: string | null }>(
    pool,
    "erc721-owners",
    ERC_721_OWNERS,
  );
  const readOwners = readRowsOfKeys(erc721Owners, OWNER_PARAMETERS);
  const readErc1155 = readRowsByPartition(erc1155, PARAMETERS);
  const reindex = createMetadataRequest(pool, "reindex-nft", REINDEX);
  const requireIndexed = createRequireIndexed({ pool });
  return {
    erc721: async (keys, work) => (await readErc721(keys, work)).map(erc721Token),
    async erc721Owners(keys, work) {
      const byKey = await readOwners(keys, work);
      return keys.map((key, at) => ({ ...key, ownerAddress: byKey[at]?.[0]?.ownerAddress ?? null }));
    },
    erc1155: async (keys, work) => (await readErc1155(keys, work)).map(erc1155Token),
    async reindex({ chainId, address, tokenId }, work) {
      if (await reindex([chainId, bytea(address), tokenId, nowSeconds()], work)) return;
      await requireIndexed(chainId, work);
      throw new Failure(
        "NOT_FOUND",
        `token ${tokenId} of ${checksumAddress(address)} has no indexed transfer on chain ${chainId}`,
      );
    },
  };
}

const PARAMETERS: PartitionParameters<NftKey> = {
  partitionOf: ({ chainId }) => chainId,
  valuesOf: (keys) => [keys.map(({ address }) => bytea(address)), keys.map(({ tokenId }) => tokenId)],
};

const OWNER_PARAMETERS: PartitionParameters<Erc721OwnerKey> = {
  partitionOf: PARAMETERS.partitionOf,
  valuesOf: (keys) => [...PARAMETERS.valuesOf(keys), keys.map(({ blockNumber }) => blockNumber)],
};

function erc721Token(row: Erc721Row): Erc721Token {
  const { chainId, address, tokenId, name, symbol, tokenUri, ownerAddress, attributes } = row;
  const metadata = { ...metadataOf(row), attributes: parsedJson(attributes) };
  return { chainId, address, name, symbol, ercType: "ERC-721", tokenId, tokenUri, metadata, ownerAddress };
}

function erc1155Token(row: Erc1155Row): Erc1155Token {
  const { chainId, address, tokenId, tokenUri, decimals, properties } = row;
  return {
    chainId,
    address,
    ercType: "ERC-1155",
    tokenId,
    tokenUri,
    metadata: { ...metadataOf(row), decimals, properties: parsedJson(properties) },
  };
}

function parsedJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

function metadataOf(row: Erc721Row | Erc1155Row): Omit<Metadata, "attributes" | "decimals" | "properties"> {
  return {
    indexStatus: row.indexStatus,
    metadataLastUpdatedTimestamp: row.metadataLastUpdatedTimestamp,
    name: row.metadataName,
    symbol: row.metadataSymbol,
    imageUri: row.imageUri,
    description: row.description,
    animationUri: row.animationUri,
    externalUrl: row.externalUrl,
    background: row.background,
  };
}
