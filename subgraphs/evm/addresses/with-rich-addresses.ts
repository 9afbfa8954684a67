import type { Work } from "../../../core/work/work.ts";
import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import { createNamedAddresses, type FindAddress, type NamedAddresses } from "./named-addresses.ts";

/** Finds the addresses of rows, by column. */
export interface AddressColumns {
  readonly from: FindAddress;
  readonly to: FindAddress;
  readonly token: FindAddress;
}

interface OfChain {
  readonly addresses: NamedAddresses;
  readonly columns: AddressColumns;
}

/**
 * Adds the tokens among the addresses of rows to the addresses, with one SQL statement for each chain. `complete` converts each row to a
 * plain object, so that GraphQL calls no resolver for each row. It runs before the tokens are read.
 */
export async function withRichAddresses<Row extends { readonly chainId: string }, Item>(
  rows: readonly Row[],
  tokens: Pick<Erc20TokenStore, "among">,
  complete: (row: Row, columns: AddressColumns) => Item,
  work: Work,
): Promise<Item[]> {
  const chains = new Map<string, OfChain>();
  const items: Item[] = [];
  let chainId: string | null = null;
  let columns: AddressColumns | null = null;
  for (const row of rows) {
    if (columns === null || row.chainId !== chainId) {
      chainId = row.chainId;
      columns = chainOf(chains, chainId).columns;
    }
    items.push(complete(row, columns));
  }
  for (const { addresses } of chains.values()) await addresses.addTokens(tokens, work);
  return items;
}

function chainOf(chains: Map<string, OfChain>, chainId: string): OfChain {
  const known = chains.get(chainId);
  if (known) return known;
  const addresses = createNamedAddresses(chainId);
  const columns = { from: addresses.column(), to: addresses.column(), token: addresses.column() };
  const made = { addresses, columns };
  chains.set(chainId, made);
  return made;
}
