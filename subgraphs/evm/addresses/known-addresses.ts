import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import { type RichAddress, richAddress } from "./types.ts";

export const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/** Says of an address of a row what is known of it. */
export type Known = (address: string) => RichAddress;

/**
 * Rows with what is known of the addresses that they name: `link` makes a plain object of each, so that nothing is
 * resolved per row. One statement for each chain among the rows.
 */
export async function withKnownAddresses<Row extends { readonly chainId: string }, Item>(
  rows: readonly Row[],
  tokens: Pick<Erc20TokenStore, "among">,
  addressesOf: (row: Row) => readonly string[],
  link: (row: Row, known: Known) => Item,
): Promise<Item[]> {
  const named = new Map<string, Set<string>>();
  for (const row of rows) {
    const addresses = named.get(row.chainId) ?? new Set();
    if (addresses.size === 0) named.set(row.chainId, addresses);
    for (const address of addressesOf(row)) addresses.add(address);
  }
  const known = new Map<string, Known>();
  for (const [chainId, addresses] of named) known.set(chainId, await knownOf(chainId, addresses, tokens));
  return rows.map((row) => link(row, known.get(row.chainId) as Known));
}

async function knownOf(
  chainId: string,
  addresses: ReadonlySet<string>,
  tokens: Pick<Erc20TokenStore, "among">,
): Promise<Known> {
  const found = await tokens.among(chainId, addresses);
  const rich = new Map<string, RichAddress>();
  for (const address of addresses) rich.set(address, richAddress(address, found.get(address)));
  return (address) => rich.get(address) as RichAddress;
}
