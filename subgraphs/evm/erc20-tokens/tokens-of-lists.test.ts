import { createTokensOfLists } from "./tokens-of-lists.ts";
import type { Erc20Token } from "./types.ts";

type Found = Map<string, Erc20Token>;

/** A store that finds nothing, and the addresses that it was asked for, by statement. */
function recordingStore(fails = false) {
  const statements: [chainId: string, addresses: string[]][] = [];
  return {
    statements,
    async among(chainId: string, addresses: Iterable<string>): Promise<Found> {
      statements.push([chainId, [...addresses]]);
      if (fails) throw new Error("the database cannot be reached");
      return new Map();
    },
  };
}

/** Rows arrive after the reading of all lists has begun. */
const nextTick = (): Promise<void> => Promise.resolve();

/** Rows that a test lets arrive. */
function arriving() {
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return { arrive, arrived };
}

describe("the tokens of several lists of a request", () => {
  it("are read in one statement, when the rows of all lists are there", async () => {
    const store = recordingStore();
    const { reading } = createTokensOfLists(store);
    const [one, two] = [arriving(), arriving()];
    const first = reading((tokens) => one.arrived.then(() => tokens.among("1", ["a", "b"])));
    const second = reading((tokens) => two.arrived.then(() => tokens.among("1", ["b", "c"])));
    one.arrive();
    await one.arrived;
    expect(store.statements).toEqual([]);
    two.arrive();
    expect(await first).toBe(await second);
    expect(store.statements).toEqual([["1", ["a", "b", "c"]]]);
  });

  it("are read without a list that has no rows or that fails", async () => {
    const store = recordingStore();
    const { reading } = createTokensOfLists(store);
    const rest = arriving();
    const first = reading((tokens) => tokens.among("1", ["a"]));
    const empty = reading(() => rest.arrived);
    const failing = reading(() => rest.arrived.then(() => Promise.reject(new Error("wrong rows"))));
    rest.arrive();
    await expect(failing).rejects.toThrow("wrong rows");
    await Promise.all([first, empty]);
    expect(store.statements).toEqual([["1", ["a"]]]);
  });

  it("are read for each chain, and again for later lists", async () => {
    const store = recordingStore();
    const { reading } = createTokensOfLists(store);
    const ask = (...chainIds: string[]) =>
      Promise.all(chainIds.map((chainId) => reading((tokens) => nextTick().then(() => tokens.among(chainId, ["a"])))));
    await ask("1", "2", "1");
    await ask("1");
    expect(store.statements).toEqual([
      ["1", ["a"]],
      ["2", ["a"]],
      ["1", ["a"]],
    ]);
  });

  it("fail for all lists with the error of their statement", async () => {
    const { reading } = createTokensOfLists(recordingStore(true));
    const lists = ["a", "b"].map((address) => reading((tokens) => nextTick().then(() => tokens.among("1", [address]))));
    for (const list of lists) await expect(list).rejects.toThrow("the database cannot be reached");
  });
});
