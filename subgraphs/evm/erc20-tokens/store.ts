import { type Database, prepared } from "../../../core/database/database.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { byteaArray, bytes, columns } from "../../shared/rows/text-rows.ts";
import { createTokenLists, createTransferCounts, type TokenLists, type TransferCount } from "../token-lists/store.ts";
import type { Erc20Token, Erc20TokenRow } from "./types.ts";

export interface TokenKey {
  readonly chainId: string;
  readonly address: string;
}

export interface Erc20TokenStore {
  /** Reads the tokens among addresses of a chain, by address. One statement. */
  among(chainId: string, addresses: Iterable<string>, work: Work): Promise<Map<string, Erc20Token>>;
  /** The tokens that another statement has found, to be read like the others. */
  found(tokens: readonly FoundToken[]): Pick<Erc20TokenStore, "among">;
  byAddress(keys: readonly TokenKey[], work: Work): Promise<Erc20Token[]>;
  /** The tokens of a chain. */
  ofChain(work: Work): TokenLists<Erc20Token>;
  /** Reads the numbers of transfers of tokens, in any order. */
  transferCounts(keys: readonly TokenKey[], work: Work): Promise<TransferCount[]>;
}

/** Columns of `FOUND_COLUMNS`. Their names have a prefix, because they are in rows that have other columns too. */
export type FoundToken = { readonly [Name in keyof Erc20TokenRow as `token.${Name}`]: Erc20TokenRow[Name] };

const NAMES = [
  "chainId",
  "address",
  "firstBlockNumber",
  "metadataStatus",
  "name",
  "symbol",
  "decimals",
] as const satisfies readonly (keyof Erc20TokenRow)[];

const COLUMNS = columns<Erc20TokenRow>(...NAMES);

/** SELECT list of a token in rows that have other columns too. */
export const FOUND_COLUMNS = COLUMNS.replaceAll(' AS "', ' AS "token.');

export const AMONG = `SELECT ${COLUMNS} FROM erc20_tokens WHERE chain_id = $1 AND address = ANY ($2::bytea[])`;

const OF_CHAIN = { counts: "erc20_counts", table: "erc20_tokens", columns: COLUMNS } as const;

export function createErc20TokenStore(
  { pool, prisma }: Database,
  chains: Chains,
  pageTokens: PageTokens,
): Erc20TokenStore {
  const among = prepared<Erc20TokenRow>(pool, "erc20-tokens-among", AMONG);
  const byAddress = createRowsById(prisma, {
    partitionOf: ({ chainId }: TokenKey) => chainId,
    idOf: ({ address }) => bytes(address),
    findMany: ({ erc20Token }, chainId, addresses) =>
      erc20Token.findMany({ where: { chainId, address: { in: addresses } } }),
  });
  const logos = configuredLogos(chains);
  const tokenOf = (row: Erc20TokenRow): Erc20Token => withLogo(row, logos.get(row.chainId)?.get(row.address) ?? null);
  return {
    async among(chainId, addresses, work) {
      const rows = await among([chainId, byteaArray(addresses)], work);
      const tokens = new Map<string, Erc20Token>();
      for (const row of rows) tokens.set(row.address, tokenOf(row));
      return tokens;
    },
    found(rows) {
      const byChain = new Map<string, Map<string, Erc20Token>>();
      for (const row of rows) {
        const token = tokenOf(rowOf(row));
        const ofChain = byChain.get(token.chainId) ?? new Map<string, Erc20Token>();
        byChain.set(token.chainId, ofChain.set(token.address, token));
      }
      return { among: async (chainId) => byChain.get(chainId) ?? new Map() };
    },
    byAddress: async (keys, work) => (await byAddress(keys, work)).map(tokenOf),
    ofChain: createTokenLists({ pool }, pageTokens, OF_CHAIN, async (rows: Erc20TokenRow[]) => rows.map(tokenOf)),
    transferCounts: createTransferCounts({ pool }, "erc20_counts"),
  };
}

/** Uses an object literal, because the spread operator would take as long as reading the row. */
function withLogo(row: Erc20TokenRow, logoUri: string | null): Erc20Token {
  const { chainId, address, name, symbol, decimals, metadataStatus, firstBlockNumber } = row;
  return { chainId, address, name, symbol, decimals, logoUri, ercType: "ERC-20", metadataStatus, firstBlockNumber };
}

function rowOf(found: FoundToken): Erc20TokenRow {
  return {
    chainId: found["token.chainId"],
    address: found["token.address"],
    firstBlockNumber: found["token.firstBlockNumber"],
    metadataStatus: found["token.metadataStatus"],
    name: found["token.name"],
    symbol: found["token.symbol"],
    decimals: found["token.decimals"],
  };
}

/** URIs of logos in the configuration, by chain and address. */
function configuredLogos(chains: Chains): Map<string, Map<string, string>> {
  const logosOf = (logos: Readonly<Record<string, string>>) =>
    new Map(Object.entries(logos).map(([address, uri]) => [address.toLowerCase(), uri]));
  return new Map(chains.all.map(({ chainId, tokenLogos }) => [String(chainId), logosOf(tokenLogos)]));
}
