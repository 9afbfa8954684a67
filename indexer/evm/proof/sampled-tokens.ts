import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import type { BlockRows } from "../decode/block.ts";
import type { Holder, Nft, Repeated } from "./difference.ts";
import { someOf } from "./sample.ts";

/** Contracts that are looked at, and of them those whose rows are all compared. */
const MAX_CANDIDATES = 20;
const MAX_TOKENS = 5;
/** The rows of tokens with more transfers, or more changes of balances, are not compared as a whole. */
const MAX_TRANSFERS = 500;
const MAX_BALANCES = 1_000;
/** Holders and NFTs that are compared with the node. */
const MAX_HOLDERS = 10;
const MAX_NFTS = 5;

const countUpTo = (limit: number, rows: string): string =>
  `(SELECT count(*) FROM (SELECT ${rows} LIMIT ${limit + 1}) AS counted) <= ${limit}`;

const transfersOf = (table: string): string =>
  countUpTo(MAX_TRANSFERS, `FROM ${table} WHERE chain_id = $1 AND token_address = token`);

/** Those of the tokens $2 whose rows are few, in the given order. */
const SMALL = `SELECT encode(token, 'hex') AS token FROM unnest($2::bytea[]) WITH ORDINALITY AS candidate (token, place)
  WHERE ${["erc20_transfers", "erc721_transfers", "erc1155_transfers"].map(transfersOf).join(" AND ")}
    AND ${countUpTo(
      MAX_BALANCES,
      `FROM erc20_holders h JOIN erc20_balances b ON b.chain_id = $1 AND b.holder_id = h.holder_id
       WHERE h.chain_id = $1 AND h.token_address = token`,
    )}
  ORDER BY place LIMIT ${MAX_TOKENS}`;

/** Chooses tokens of these blocks whose rows are few enough to compare all of them. One statement. */
export async function sampleTokens(
  session: Pick<Session, "query">,
  chainId: string,
  blocks: readonly BlockRows[],
  repeated: Repeated,
  random: () => number,
): Promise<string[]> {
  const seen = blocks.flatMap(({ tokens, nftContracts }) => [...tokens, ...nftContracts]);
  const others = [...new Set(seen)].filter((token) => !repeated.tokens.includes(token));
  const candidates = [...repeated.tokens, ...someOf(others, MAX_CANDIDATES, random)].slice(0, MAX_CANDIDATES);
  if (candidates.length === 0) return [];
  const rows = await session.query<{ token: string }>(SMALL, [chainId, candidates.map(pgBytes)]);
  return rows.map(({ token }) => token);
}

/** A holder with the balance after the last indexed block. */
export interface HolderBalance extends Holder {
  readonly balance: string;
}

const BALANCES = `SELECT encode(h.token_address, 'hex') AS token, encode(h.address, 'hex') AS address, h.balance
  FROM unnest($2::bytea[], $3::bytea[]) AS p (token, address)
    JOIN erc20_holders h ON h.chain_id = $1 AND h.token_address = p.token AND h.address = p.address`;

/** Chooses holders whose balances these blocks change. One statement. */
export async function sampleHolders(
  session: Pick<Session, "query">,
  chainId: string,
  blocks: readonly BlockRows[],
  repeated: Repeated,
  random: () => number,
): Promise<HolderBalance[]> {
  const changed = new Map(blocks.flatMap(({ balances }) => balances.map((one) => [one.pair, one] as const)));
  const isRepeated = new Set(repeated.holders.map(({ token, address }) => token + address));
  const others = [...changed.values()].filter(({ pair }) => !isRepeated.has(pair));
  const holders: Holder[] = [...repeated.holders, ...someOf(others, MAX_HOLDERS, random)].slice(0, MAX_HOLDERS);
  if (holders.length === 0) return [];
  return session.query<HolderBalance & Record<string, unknown>>(BALANCES, [
    chainId,
    holders.map(({ token }) => pgBytes(token)),
    holders.map(({ address }) => pgBytes(address)),
  ]);
}

/** An NFT with its owner after the last indexed block; hex without `0x`. */
export interface NftOwner extends Nft {
  readonly owner: string;
}

const OWNERS = `SELECT encode(h.token_address, 'hex') AS token, h.token_id AS "tokenId", encode(h.address, 'hex') AS owner
  FROM unnest($2::bytea[], $3::numeric[]) AS p (token, token_id)
    JOIN nft_holdings h ON h.chain_id = $1 AND h.token_address = p.token AND h.token_id = p.token_id
  WHERE h.erc_type = 'ERC-721' AND h.balance > 0`;

/** Chooses ERC-721 tokens that these blocks transfer, without those that nobody holds any more. One statement. */
export async function sampleNfts(
  session: Pick<Session, "query">,
  chainId: string,
  blocks: readonly BlockRows[],
  repeated: Repeated,
  random: () => number,
): Promise<NftOwner[]> {
  const items = blocks.flatMap(({ nftItems }) => nftItems.filter(({ ercType }) => ercType === "ERC-721"));
  const seen = new Map(items.map(({ address, tokenId }) => [`${address} ${tokenId}`, { token: address, tokenId }]));
  for (const { token, tokenId } of repeated.nfts) seen.delete(`${token} ${tokenId}`);
  const nfts: Nft[] = [...repeated.nfts, ...someOf([...seen.values()], MAX_NFTS, random)].slice(0, MAX_NFTS);
  if (nfts.length === 0) return [];
  return session.query<NftOwner & Record<string, unknown>>(OWNERS, [
    chainId,
    nfts.map(({ token }) => pgBytes(token)),
    nfts.map(({ tokenId }) => tokenId),
  ]);
}
