import { type PartitionParameters, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { readInDirections } from "../../shared/rows/directions.ts";
import { descending, endsOf, keysetOf, of } from "../../shared/rows/keyset.ts";
import { directedName, inBothDirections } from "../../shared/rows/list-reader.ts";
import { bigint, bytea } from "../../shared/rows/text-rows.ts";
import { IS_INDEXED } from "../chains/is-indexed.ts";
import { atBlocksStatement, beforeAtBlocksStatement } from "./at-blocks.ts";
import { ABOVE_EVERY_ADDRESS, KEYS, MAX_CANDIDATES, MAX_HOLDERS } from "./keys.ts";

/** A page of the holders of a token, greatest balance first. */
export interface HoldersKey {
  readonly chainId: string;
  readonly tokenAddress: string;
  /** Token id of an ERC-1155 token; null for ERC-20 tokens and for collections. */
  readonly tokenId: string | null;
  /** Block number; null selects the last indexed block. */
  readonly blockNumber: string | null;
  /** The holder beside the page; null if the page is at an end of the list. */
  readonly balance: string | null;
  readonly address: string | null;
  /** True for the holders before that one, nearest first. */
  readonly isBackward: boolean;
  readonly size: number;
}

export interface Holder {
  readonly address: string;
  readonly balance: string;
}

/** The blocks of a page of holders. */
export interface HolderMoment {
  /** The chain's last indexed block, whatever block was selected. */
  readonly head: string;
  /** Hash of the block after which the holders have their balances; null if it is not indexed. */
  readonly blockHash: string | null;
}

export interface StoredHolders extends HoldersKey, HolderMoment {
  /** Greatest balance first; equal balances by address, highest first. Backward, in the opposite order. */
  readonly holders: readonly Holder[];
  /** True if `maxCandidates` addresses do not determine a page after a block. The page has no holders then. */
  readonly isCut: boolean;
}

export interface HolderStore {
  /** Reads pages of current holders of ERC-20 tokens in one statement for each chain. Chains that are not indexed are left out. */
  ofErc20(keys: readonly HoldersKey[], work: Work): Promise<StoredHolders[]>;
  /** The same for holders after blocks. */
  ofErc20AtBlocks(keys: readonly HoldersKey[], work: Work): Promise<StoredHolders[]>;
  /** Reads pages of current holders of NFT collections in one statement for each chain. */
  ofNfts(keys: readonly HoldersKey[], work: Work): Promise<StoredHolders[]>;
  /** The same for ERC-1155 tokens. */
  ofErc1155(keys: readonly HoldersKey[], work: Work): Promise<StoredHolders[]>;
}

const ORDER = descending({ balance: "numeric", address: "bytea" });

/** Where lists begin and end: every balance in them is above 0. */
const ENDS = { first: endsOf(ORDER).first, last: ["0", ABOVE_EVERY_ADDRESS] } as const;

type CurrentTable = "erc20_holders" | "nft_holders" | "nft_holdings";

/** The rows of a token. */
const OF_TOKEN = "t.chain_id = $1 AND t.token_address = k.token_address";
const OWN_ROWS: Readonly<Record<CurrentTable, string>> = {
  erc20_holders: OF_TOKEN,
  nft_holders: OF_TOKEN,
  nft_holdings: `${OF_TOKEN} AND t.token_id = k.token_id AND t.erc_type = 'ERC-1155'`,
};

/**
 * The condition of the index of ERC-20 holders. The indexes of NFTs have none: there, this is where a page that is read forward ends. A page
 * that is read backward begins above 0, and another lower bound could make PostgreSQL read the index from there.
 */
const isHeld = (table: CurrentTable, isBackward: boolean): string =>
  table !== "erc20_holders" && isBackward ? "true" : "t.balance > 0";

/** The constant limit makes the planner read the index in order. */
export function currentStatement(table: CurrentTable, isBackward: boolean): string {
  const { after, orderBy } = keysetOf(ORDER, ["k.balance", "k.address"], isBackward);
  return `SELECT k.request, h.block_number AS head, h.block_hash AS "blockHash", page.*
  FROM ${KEYS}
    JOIN chain_heads h ON h.chain_id = $1 AND ${IS_INDEXED}
    LEFT JOIN LATERAL (SELECT * FROM (SELECT t.address, t.balance FROM ${table} t
        WHERE ${OWN_ROWS[table]} AND ${isHeld(table, isBackward)}
          AND ${after()}
        ORDER BY ${orderBy()} LIMIT ${MAX_HOLDERS + 1}) ordered LIMIT k.size) page ON true
  ORDER BY k.request, ${orderBy(of("page"))}`;
}

interface Row {
  readonly request: string;
  readonly head: string;
  readonly blockHash: string | null;
  /** The columns of a holder are null if the page is empty. */
  readonly address: string | null;
  readonly balance: string;
  /** Absent in pages of current holders. */
  readonly isCut?: boolean | null;
}

export function createHolderStore({ pool }: Pick<Database, "pool">, maxCandidates = MAX_CANDIDATES): HolderStore {
  const reading = (name: string, statementOf: (isBackward: boolean) => string) => {
    const readers = inBothDirections((isBackward) =>
      readRowsOfKeys(
        prepared<Row & Record<string, string | boolean | null | undefined>>(
          pool,
          directedName(name, isBackward),
          statementOf(isBackward),
        ),
        PARAMETERS,
      ),
    );
    return readInDirections(readers, pageOfRows);
  };
  const current = (table: CurrentTable) => (isBackward: boolean) => currentStatement(table, isBackward);
  return {
    ofErc20: reading("metrics-erc20-holders", current("erc20_holders")),
    ofErc20AtBlocks: reading(`metrics-erc20-holders-at-blocks-${maxCandidates}`, (isBackward) =>
      isBackward ? beforeAtBlocksStatement(maxCandidates) : atBlocksStatement(maxCandidates),
    ),
    ofNfts: reading("metrics-nft-holders", current("nft_holders")),
    ofErc1155: reading("metrics-erc1155-holders", current("nft_holdings")),
  };
}

/** The parameters of a statement. */
export const PARAMETERS: PartitionParameters<HoldersKey> = {
  partitionOf: ({ chainId }) => chainId,
  valuesOf: (keys) => [
    keys.map(({ tokenAddress }) => bytea(tokenAddress)),
    keys.map(({ blockNumber }) => blockNumber && bigint(blockNumber)),
    keys.map(({ balance, isBackward }) => balance ?? (isBackward ? ENDS.last : ENDS.first)[0]),
    keys.map(({ address, isBackward }) => (address ? bytea(address) : (isBackward ? ENDS.last : ENDS.first)[1])),
    keys.map(({ size }) => size),
    keys.map(({ tokenId }) => tokenId),
  ],
};

/** Nothing if the chain is not indexed. An empty page has one row, whose columns of a holder are null. */
function pageOfRows(key: HoldersKey, rows: readonly Row[]): StoredHolders[] {
  const [row] = rows;
  if (!row) return [];
  const holders = rows.flatMap(({ address, balance }) => (address === null ? [] : [{ address, balance }]));
  return [{ ...key, head: row.head, blockHash: row.blockHash, holders, isCut: row.isCut ?? false }];
}
