import type { Chains } from "../../../core/chains.ts";
import { type Database, prepared } from "../../../core/database.ts";
import { byChain } from "../batch.ts";
import { byteaArray, bytes, columns, textRow } from "../rows.ts";
import type { Erc20Token, Erc20TokenRow } from "./types.ts";

export interface TokenKey {
  readonly chainId: string;
  readonly address: string;
}

export interface Erc20TokenStore {
  /** Those of a chain's addresses that are tokens, by address. One statement. */
  among(chainId: string, addresses: Iterable<string>): Promise<Map<string, Erc20Token>>;
  byAddress(keys: readonly TokenKey[]): Promise<Erc20Token[]>;
}

const COLUMNS = columns<Erc20TokenRow>(
  ...(["chainId", "address", "firstBlockNumber", "metadataStatus", "name", "symbol", "decimals"] as const),
);

const AMONG = `SELECT ${COLUMNS} FROM erc20_tokens WHERE chain_id = $1 AND address = ANY ($2::bytea[])`;

export function createErc20TokenStore({ pool, prisma }: Database, chains: Chains): Erc20TokenStore {
  const among = prepared<Erc20TokenRow>(pool, "erc20-tokens-among", AMONG);
  const logos = configuredLogos(chains);
  const tokenOf = (row: Erc20TokenRow): Erc20Token =>
    Object.assign(row, { logoUri: logos.get(`${row.chainId} ${row.address}`) ?? null, ercType: "ERC-20" });
  return {
    async among(chainId, addresses) {
      const rows = await among([chainId, byteaArray(addresses)]);
      return new Map(rows.map((row) => [row.address, tokenOf(row)]));
    },
    async byAddress(keys) {
      const wanted = byChain(keys).map(([chainId, group]) => ({
        chainId,
        address: { in: group.map(({ address }) => bytes(address)) },
      }));
      return (await prisma.erc20Token.findMany({ where: { OR: wanted } })).map((row) => tokenOf(textRow(row)));
    },
  };
}

function configuredLogos(chains: Chains): Map<string, string> {
  const entries = chains.all.flatMap(({ chainId, tokenLogos }) =>
    Object.entries(tokenLogos).map(([address, uri]) => [`${chainId} ${address.toLowerCase()}`, uri] as const),
  );
  return new Map(entries);
}
