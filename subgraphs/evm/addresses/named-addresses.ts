import type { Work } from "../../../core/work/work.ts";
import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import type { Erc20Token } from "../erc20-tokens/types.ts";
import { type RichAddress, richAddress } from "./types.ts";

/** An address in a row. Its token, and the metadata of that, are added when the tokens are read. */
export interface NamedAddress {
  readonly rich: RichAddress;
  token: Erc20Token | null;
}

/** Returns the object of an address, which all rows share. */
export type FindAddress = (address: string) => NamedAddress;

/** The addresses in the rows of a statement, on one chain. */
export interface NamedAddresses {
  /**
   * Makes a function that finds the addresses of one column. Rows that follow each other often have the same address there, which is
   * faster to compare than to find.
   */
  column(): FindAddress;
  /** Adds the tokens among the addresses, in one statement. */
  addTokens(tokens: Pick<Erc20TokenStore, "among">, work: Work): Promise<void>;
}

export function createNamedAddresses(chainId: string): NamedAddresses {
  const known = new Map<string, NamedAddress>();
  const find: FindAddress = (address) => {
    const found = known.get(address);
    if (found) return found;
    const made: NamedAddress = { rich: richAddress(address, null), token: null };
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
        Object.assign(named.rich, richAddress(token.address, token));
      }
    },
  };
}
