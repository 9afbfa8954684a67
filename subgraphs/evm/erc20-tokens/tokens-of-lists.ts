import type { Erc20TokenStore } from "./store.ts";
import type { Erc20Token } from "./types.ts";

type Tokens = Pick<Erc20TokenStore, "among">;

/** Reads the tokens that several lists of a request need in one statement. */
export interface TokensOfLists {
  /** Reads a list. Its `among` waits until all lists that are being read now have called theirs, or are complete. */
  reading<List>(read: (tokens: Tokens) => Promise<List>): Promise<List>;
}

interface Waiting {
  readonly chainId: string;
  readonly addresses: readonly string[];
  resolve(tokens: Promise<Map<string, Erc20Token>>): void;
}

/** Makes the tokens of the lists of one request. */
export function createTokensOfLists(store: Tokens): TokensOfLists {
  let lists = 0;
  let waiting: Waiting[] = [];
  const readIfAllWait = (): void => {
    if (waiting.length < lists) return;
    const all = waiting;
    waiting = [];
    for (const chainId of new Set(all.map((one) => one.chainId))) {
      const ofChain = all.filter((one) => one.chainId === chainId);
      const found = store.among(chainId, new Set(ofChain.flatMap(({ addresses }) => addresses)));
      for (const { resolve } of ofChain) resolve(found);
    }
  };
  const tokens: Tokens = {
    among: (chainId, addresses) =>
      new Promise((resolve) => {
        waiting.push({ chainId, addresses: [...addresses], resolve });
        readIfAllWait();
      }),
  };
  return {
    async reading(read) {
      lists++;
      try {
        return await read(tokens);
      } finally {
        lists--;
        readIfAllWait();
      }
    },
  };
}
