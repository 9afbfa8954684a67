import type { Work } from "../../../core/work/work.ts";
import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import type { Erc20Token } from "../erc20-tokens/types.ts";
import { type RichAddress, richAddress } from "./types.ts";

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

/** An address in a row. Its token, and the metadata of that, are added when the tokens are read. */
export interface NamedAddress {
  readonly rich: RichAddress;
  token: Erc20Token | null;
}

/** Returns the object of an address, which all rows share. */
type FindAddress = (address: string) => NamedAddress;

/** The addresses in the rows of a statement, on one chain. */
interface NamedAddresses {
  /**
   * Makes a function that finds the addresses of one column. Rows that follow each other often have the same address there, which is
   * faster to compare than to find.
   */
  column(): FindAddress;
  /** Adds the tokens among the addresses, in one statement. */
  addTokens(tokens: Pick<Erc20TokenStore, "among">, work: Work): Promise<void>;
}

function createNamedAddresses(chainId: string): NamedAddresses {
  const known = new Map<string, NamedAddress>();
  const find: FindAddress = (address) => {
    const found = known.get(address);
    if (found) return found;
    const made: NamedAddress = { rich: richAddress(chainId, address, null), token: null };
    known.set(address, made);
    return made;
  };
  return {
    column() {
      let last: NamedAddress | null = null;
      return (address) => {
        if (last === null || last.rich.address !== address) last = find(address);
        return last;
      };
    },
    async addTokens(tokens, work) {
      for (const token of (await tokens.among(chainId, known.keys(), work)).values()) {
        const named = known.get(token.address);
        // It may be among the addresses of another list that is read with this one.
        if (!named) continue;
        named.token = token;
        Object.assign(named.rich, richAddress(chainId, token.address, token));
      }
    },
  };
}
