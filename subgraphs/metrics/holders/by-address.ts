import { type PartitionParameters, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { readInDirections } from "../../shared/rows/directions.ts";
import { ascending, endsOf, type Keyset, keysetOf, of } from "../../shared/rows/keyset.ts";
import { directedName, inBothDirections } from "../../shared/rows/list-reader.ts";
import { bigint, bytea } from "../../shared/rows/text-rows.ts";
import { JOIN_MOMENT } from "../chains/is-indexed.ts";
import { createPastReader } from "../past-nfts/walk.ts";
import { BALANCE_COLUMNS, balanceAt } from "./balance-at.ts";
import { MAX_CANDIDATES } from "./keys.ts";
import type { Holder, HolderMoment } from "./store.ts";

/** A page of the holders of a token in the order of their addresses. */
export interface HoldersByAddressKey {
  readonly chainId: string;
  readonly tokenAddress: string;
  /** Token id of an ERC-1155 token; null for ERC-20 tokens and for collections. */
  readonly tokenId: string | null;
  /** Block number; null selects the last indexed block. */
  readonly blockNumber: string | null;
  /** The address beside the page; null if the page is at an end of the list. */
  readonly address: string | null;
  /** True for the holders before that one, nearest first. */
  readonly isBackward: boolean;
  readonly size: number;
}

export interface HoldersByAddress extends HoldersByAddressKey, HolderMoment {
  readonly items: readonly Holder[];
  /** The address after which the next page begins, if `maxCandidates` addresses do not fill this one; otherwise null. */
  readonly lastCandidate: string | null;
}

export interface HoldersByAddressStore {
  /** Reads pages of the holders of ERC-20 tokens in one statement for each chain. Chains that are not indexed are left out. */
  ofErc20(keys: readonly HoldersByAddressKey[], work: Work): Promise<HoldersByAddress[]>;
  /** The same for current holders of NFT collections: `blockNumber` of their keys is always null. */
  ofNfts(keys: readonly HoldersByAddressKey[], work: Work): Promise<HoldersByAddress[]>;
  /** The same for holders of NFT collections after blocks. */
  ofNftsAtBlocks(keys: readonly HoldersByAddressKey[], work: Work): Promise<HoldersByAddress[]>;
  /** The same for ERC-1155 tokens, now and after blocks. */
  ofErc1155(keys: readonly HoldersByAddressKey[], work: Work): Promise<HoldersByAddress[]>;
}

/** How the candidates of a table are read, and the balance of candidate `c`. */
const TABLES = {
  erc20_holders: { columns: BALANCE_COLUMNS, balance: balanceAt("m.block_number") },
  nft_holders: { columns: "t.balance", balance: "c.balance" },
} as const;
type HolderTable = keyof typeof TABLES;

const ORDER = ascending({ address: "bytea" });
const ENDS = endsOf(ORDER);

/** The next addresses, in the order of the primary key, whose index has all columns: PostgreSQL reads only it and never sorts. */
const candidates = (
  table: HolderTable,
  { after, orderBy }: Keyset,
): string => `SELECT t.address, ${TABLES[table].columns} FROM ${table} t
    WHERE t.chain_id = $1 AND t.token_address = k.token_address AND ${after()} ORDER BY ${orderBy()}`;

/** OFFSET 0 keeps the planner from computing the block for each holder, and each balance twice. */
export function byAddressStatement(table: HolderTable, maxCandidates: number, isBackward: boolean): string {
  const keyset = keysetOf(ORDER, ["k.address"], isBackward);
  return `SELECT k.request, h.block_number AS head, m.block_hash AS "blockHash", page.*
  FROM unnest($2::bytea[], $3::bigint[], $4::bytea[], $5::int[]) WITH ORDINALITY
      AS k(token_address, block_number, address, size, request)
    ${JOIN_MOMENT}
    LEFT JOIN LATERAL (
      WITH found AS MATERIALIZED (
        SELECT c.address, held.balance
        FROM (${candidates(table, keyset)} LIMIT ${maxCandidates}) c
          CROSS JOIN LATERAL (SELECT ${TABLES[table].balance} AS balance OFFSET 0) held
        WHERE held.balance > 0 ORDER BY ${keyset.orderBy(of("c"))} LIMIT k.size),
      last_candidate AS MATERIALIZED (
        SELECT c.address FROM (${candidates(table, keyset)} LIMIT 1 OFFSET ${maxCandidates - 1}) c
        WHERE (SELECT count(*) FROM found) < k.size)
      SELECT found.address, found.balance, l.address AS "lastCandidate"
      FROM (SELECT) one LEFT JOIN last_candidate l ON true LEFT JOIN found ON true
    ) page ON m.block_number <= h.block_number
  ORDER BY k.request, ${keyset.orderBy(of("page"))}`;
}

interface Row extends HolderMoment {
  readonly request: string;
  /** The columns of a holder are null if the page is empty. */
  readonly address: string | null;
  readonly balance: string;
  readonly lastCandidate: string | null;
}

export function createHoldersByAddressStore(
  { pool }: Pick<Database, "pool">,
  maxCandidates = MAX_CANDIDATES,
): HoldersByAddressStore {
  const reading = (table: HolderTable) => {
    const name = `metrics-${table.replace("_", "-")}-by-address-${maxCandidates}`;
    const readers = inBothDirections((isBackward) =>
      readRowsOfKeys(
        prepared<Row & Record<string, string | null>>(
          pool,
          directedName(name, isBackward),
          byAddressStatement(table, maxCandidates, isBackward),
        ),
        BY_ADDRESS_PARAMETERS,
      ),
    );
    return readInDirections(readers, pageOfRows);
  };
  const { ofCollections, ofItems } = createPastHolders(pool, maxCandidates);
  return {
    ofErc20: reading("erc20_holders"),
    ofNfts: reading("nft_holders"),
    ofNftsAtBlocks: ofCollections,
    ofErc1155: ofItems,
  };
}

/** Holders of collections in the order of the primary key. */
const PAST_HOLDERS = {
  table: "nft_collection_balances",
  owner: { token_address: "bytea" },
  order: ORDER,
} as const;

/** Holders of ERC-1155 tokens in the order of an index of these tokens. */
const PAST_ITEM_HOLDERS = {
  table: "nft_item_balances",
  owner: { token_address: "bytea", token_id: "numeric" },
  condition: "t.erc_type = 'ERC-1155'",
  order: ORDER,
} as const;

type HolderRow = { readonly [Name in keyof Holder]: Holder[Name] };

function createPastHolders(pool: Database["pool"], maxCandidates: number) {
  const options = {
    maxCandidates,
    positionOf: ({ address }: HoldersByAddressKey) => (address === null ? null : [bytea(address)]),
  };
  const collections = createPastReader<HoldersByAddressKey, HolderRow>(pool, {
    ...PAST_HOLDERS,
    ...options,
    name: "metrics-nft-holders-at-blocks",
    ownerOf: ({ tokenAddress }) => [bytea(tokenAddress)],
  });
  const items = createPastReader<HoldersByAddressKey, HolderRow>(pool, {
    ...PAST_ITEM_HOLDERS,
    ...options,
    name: "metrics-erc1155-holders-by-address",
    ownerOf: ({ tokenAddress, tokenId }) => [bytea(tokenAddress), tokenId],
  });
  return { ofCollections: holdersOf(collections), ofItems: holdersOf(items) };
}

function holdersOf(read: ReturnType<typeof createPastReader<HoldersByAddressKey, HolderRow>>) {
  return async (keys: readonly HoldersByAddressKey[], work: Work): Promise<HoldersByAddress[]> => {
    const pages = await read(keys, work);
    return pages.map(({ items, lastCandidate, ...page }) => ({
      ...page,
      items: items.map(({ address, balance }) => ({ address, balance })),
      lastCandidate: lastCandidate?.address ?? null,
    }));
  };
}

/** The parameters of the statement. */
export const BY_ADDRESS_PARAMETERS: PartitionParameters<HoldersByAddressKey> = {
  partitionOf: ({ chainId }) => chainId,
  valuesOf: (keys) => [
    keys.map(({ tokenAddress }) => bytea(tokenAddress)),
    keys.map(({ blockNumber }) => blockNumber && bigint(blockNumber)),
    keys.map(({ address, isBackward }) => (address ? bytea(address) : (isBackward ? ENDS.last : ENDS.first)[0])),
    keys.map(({ size }) => size),
  ],
};

/** Nothing if the chain is not indexed. An empty page has one row, whose columns of a holder are null. */
function pageOfRows(key: HoldersByAddressKey, rows: readonly Row[]): HoldersByAddress[] {
  const [row] = rows;
  if (!row) return [];
  const { head, blockHash, lastCandidate } = row;
  const items = rows.flatMap(({ address, balance }) => (address === null ? [] : [{ address, balance }]));
  return [{ ...key, head, blockHash, items, lastCandidate }];
}
