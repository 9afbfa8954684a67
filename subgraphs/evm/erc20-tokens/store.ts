import type { Chains } from "../../../core/chains.ts";
import { type Database, prepared } from "../../../core/database.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { byteaArray, bytes, columns } from "../../shared/rows/text-rows.ts";
import type { Erc20Token, Erc20TokenRow } from "./types.ts";

export interface TokenKey {
  readonly chainId: string;
  readonly address: string;
}

export interface Erc20TokenStore {
  /** Reads the tokens among addresses of a chain, by address. One statement. */
  among(chainId: string, addresses: Iterable<string>): Promise<Map<string, Erc20Token>>;
  byAddress(keys: readonly TokenKey[]): Promise<Erc20Token[]>;
}

const COLUMNS = columns<Erc20TokenRow>(
  "chainId",
  "address",
  "firstBlockNumber",
  "metadataStatus",
  "name",
  "symbol",
  "decimals",
);

export const AMONG = `SELECT ${COLUMNS} FROM erc20_tokens WHERE chain_id = $1 AND address = ANY ($2::bytea[])`;

export function createErc20TokenStore({ pool, prisma }: Database, chains: Chains): Erc20TokenStore {
  const among = prepared<Erc20TokenRow>(pool, "erc20-tokens-among", AMONG);
  const byAddress = createRowsById({
    partitionOf: ({ chainId }: TokenKey) => chainId,
    idOf: ({ address }) => bytes(address),
    where: (chainId, addresses) => ({ chainId, address: { in: addresses } }),
    findMany: async (OR) => (await prisma()).erc20Token.findMany({ where: { OR } }),
  });
  const logos = configuredLogos(chains);
  const tokenOf = (row: Erc20TokenRow): Erc20Token => withLogo(row, logos.get(row.chainId)?.get(row.address) ?? null);
  return {
    async among(chainId, addresses) {
      const rows = await among([chainId, byteaArray(addresses)]);
      const tokens = new Map<string, Erc20Token>();
      for (const row of rows) tokens.set(row.address, tokenOf(row));
      return tokens;
    },
    byAddress: async (keys) => (await byAddress(keys)).map(tokenOf),
  };
}

/** Uses an object literal, because the spread operator would take as long as reading the row. */
function withLogo(row: Erc20TokenRow, logoUri: string | null): Erc20Token {
  const { chainId, address, name, symbol, decimals, metadataStatus, firstBlockNumber } = row;
  return { chainId, address, name, symbol, decimals, logoUri, ercType: "ERC-20", metadataStatus, firstBlockNumber };
}

/** URIs of logos in the configuration, by chain and address. */
function configuredLogos(chains: Chains): Map<string, Map<string, string>> {
  const logosOf = (logos: Readonly<Record<string, string>>) =>
    new Map(Object.entries(logos).map(([address, uri]) => [address.toLowerCase(), uri]));
  return new Map(chains.all.map(({ chainId, tokenLogos }) => [String(chainId), logosOf(tokenLogos)]));
}
