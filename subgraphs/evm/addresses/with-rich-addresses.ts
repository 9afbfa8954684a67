import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import { type RichAddress, richAddress } from "./types.ts";

/** Adds the metadata of the ERC-20 token at this address to the address. */
export type RichAddressOf = (address: string) => RichAddress;

/**
 * Adds token metadata to the addresses of rows, with one SQL statement for each chain. `complete` converts each row to a plain
 * object, so that GraphQL calls no resolver for each row.
 */
export async function withRichAddresses<Row extends { readonly chainId: string }, Item>(
  rows: readonly Row[],
  tokens: Pick<Erc20TokenStore, "among">,
  addressesOf: (row: Row) => readonly string[],
  complete: (row: Row, richAddressOf: RichAddressOf) => Item,
): Promise<Item[]> {
  const addressesByChain = new Map<string, Set<string>>();
  for (const row of rows) {
    const addresses = addressesByChain.get(row.chainId) ?? new Set();
    if (addresses.size === 0) addressesByChain.set(row.chainId, addresses);
    for (const address of addressesOf(row)) addresses.add(address);
  }
  const byChain = new Map<string, RichAddressOf>();
  for (const [chainId, addresses] of addressesByChain)
    byChain.set(chainId, await richAddressesOf(chainId, addresses, tokens));
  return rows.map((row) => complete(row, byChain.get(row.chainId) as RichAddressOf));
}

async function richAddressesOf(
  chainId: string,
  addresses: ReadonlySet<string>,
  tokens: Pick<Erc20TokenStore, "among">,
): Promise<RichAddressOf> {
  const found = await tokens.among(chainId, addresses);
  const rich = new Map<string, RichAddress>();
  for (const address of addresses) rich.set(address, richAddress(address, found.get(address)));
  return (address) => rich.get(address) as RichAddress;
}
