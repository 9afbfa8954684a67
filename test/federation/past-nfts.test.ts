import type { ExecutionResult } from "graphql";
import { createWork } from "../../core/work/work.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { statementsOf } from "../support/database/statements.ts";
import { isFullRun, sampled } from "../support/full.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import type { FactRow } from "../support/oracle/fact-row.ts";
import { expectedFacts } from "../support/oracle/facts-oracle.ts";
import { recordedChain } from "../support/recorded/node-chain.ts";
import { recordedState } from "../support/recorded/recorded-state.ts";
import { serveGraph } from "./served.ts";

const ZERO = `0x${"0".repeat(40)}`;

/** The recorded chains with their NFT transfers, and what the node returned. */
const CHAINS = (["c", "l1"] as const).map((name) => {
  const recording = openRecording(ALPHA);
  const chain = recordedChain(recording, name);
  const { erc721_transfers, erc1155_transfers } = expectedFacts(chain, chain.blocks);
  const transfers = [...erc721_transfers, ...erc1155_transfers].map(transferOf);
  return {
    chainId: String(chain.chainId),
    kinds: chain.contractKinds,
    head: Number(chain.blocks.at(-1)?.block.number),
    transfers,
    blocks: [...new Set(transfers.map(({ block }) => block))].sort((a, b) => a - b),
    addresses: [...new Set(transfers.flatMap(({ from, to }) => [from, to]))].filter((one) => one !== ZERO).sort(),
    state: recordedState(recording, chain),
  };
});
type Chain = (typeof CHAINS)[number];
const [C_CHAIN] = CHAINS as [Chain];

/** Blocks before the first transfer, with transfers, between them and after the last one. */
const momentsOf = ({ blocks, head }: Chain): number[] => {
  const all = [...new Set([1, ...blocks.flatMap((block) => [block - 1, block]), head])];
  return sampled(all, isFullRun ? all.length : 10);
};

interface Transfer {
  readonly block: number;
  readonly from: string;
  readonly to: string;
  readonly token: string;
  readonly tokenId: string;
  readonly ercType: string;
  readonly value: bigint;
}

function transferOf(row: FactRow): Transfer {
  return {
    block: Number(row["block_number"]),
    from: String(row["from_address"]),
    to: String(row["to_address"]),
    token: String(row["token_address"]),
    tokenId: String(row["token_id"]),
    ercType: "batch_index" in row ? "ERC-1155" : "ERC-721",
    value: BigInt(row["value"] ?? 1),
  };
}

/** What each address has of each key after a block: the sum of all its transfers up to it, without sums of 0. */
function balancesAfter(
  { transfers }: Chain,
  block: number,
  keyOf: (transfer: Transfer, address: string) => string | null,
): Map<string, bigint> {
  const balances = new Map<string, bigint>();
  for (const transfer of transfers.filter((one) => one.block <= block))
    for (const [address, amount] of [
      [transfer.from, -transfer.value],
      [transfer.to, transfer.value],
    ] as const) {
      const key = address === ZERO ? null : keyOf(transfer, address);
      if (key !== null) balances.set(key, (balances.get(key) ?? 0n) + amount);
    }
  return new Map([...balances].filter(([, balance]) => balance !== 0n));
}

interface Item {
  readonly key: string;
  readonly balance: string;
}

/** The items with a balance above 0, in ascending order. */
const heldOf = (balances: ReadonlyMap<string, bigint>, compare: (a: string, b: string) => number): Item[] =>
  [...balances]
    .filter(([, balance]) => balance > 0n)
    .map(([key, balance]) => ({ key, balance: String(balance) }))
    .sort((one, other) => compare(one.key, other.key));

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
/** By address of the collection, then by token id. */
function byToken(a: string, b: string): number {
  const [tokenA = "", idA = "0"] = a.split(" ");
  const [tokenB = "", idB = "0"] = b.split(" ");
  return tokenA === tokenB ? Number(BigInt(idA) - BigInt(idB)) : byText(tokenA, tokenB);
}

const nftsAfter = (chain: Chain, block: number, owner: string): Item[] =>
  heldOf(
    balancesAfter(chain, block, ({ token, tokenId }, address) => (address === owner ? `${token} ${tokenId}` : null)),
    byToken,
  );
const ofCollection = (chain: Chain, block: number, collection: string): Map<string, bigint> =>
  balancesAfter(chain, block, ({ token }, address) => (token === collection ? address : null));
const ofItem = (chain: Chain, block: number, [collection, id]: readonly string[]): Map<string, bigint> =>
  balancesAfter(chain, block, ({ token, tokenId, ercType }, address) =>
    ercType === "ERC-1155" && token === collection && tokenId === id ? address : null,
  );

const supplyOf = (balances: ReadonlyMap<string, bigint>) => ({
  holderCount: String([...balances.values()].filter((balance) => balance > 0n).length),
  totalSupply: String([...balances.values()].reduce((sum, balance) => sum + balance, 0n)),
});

const collectionsOf = ({ transfers }: Chain): string[] => [...new Set(transfers.map(({ token }) => token))];
const itemsOf = ({ transfers }: Chain): string[][] =>
  [
    ...new Set(
      transfers.filter(({ ercType }) => ercType === "ERC-1155").map(({ token, tokenId }) => `${token} ${tokenId}`),
    ),
  ].map((item) => item.split(" "));

let alpha: Awaited<ReturnType<typeof indexedAlpha>>;
let served: Awaited<ReturnType<typeof serveGraph>>;
beforeAll(async () => {
  alpha = await indexedAlpha();
  served = await serveGraph({ database: alpha, config: alpha.config });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await alpha[Symbol.asyncDispose]();
});

const run = (query: string, variables: Record<string, unknown> = {}): Promise<ExecutionResult> =>
  served.graph.prepare(query)(variables, { work: createWork(), requestId: "test" });

/** Values of many fields of the root, in their order, in requests of fifty. Addresses are in lower case. */
async function valuesOf(fields: readonly string[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (let from = 0; from < fields.length; from += 50) {
    const aliased = fields.slice(from, from + 50).map((field, at) => `f${at}: ${field}`);
    const { data, errors } = await run(`{ ${aliased.join(" ")} }`);
    expect(errors).toBeUndefined();
    values.push(...Object.values(data ?? {}));
  }
  return JSON.parse(JSON.stringify(values).replace(/0x[0-9a-fA-F]{40}/g, (text) => text.toLowerCase()));
}

const TOKEN = "token { ... on Erc721Token { address tokenId } ... on Erc1155Token { address tokenId } }";
/** A list, with what the path to its parent is. */
interface List {
  readonly parent: string;
  readonly field: string;
  readonly args: string;
  readonly node: string;
  /** What the list has after a block. */
  readonly itemsAfter: (block: number) => Item[];
}

const nftsOf = (chain: Chain, address: string): List => ({
  parent: `address(chainId: "${chain.chainId}", address: "${address}")`,
  field: "nfts",
  args: "",
  node: `${TOKEN} balance`,
  itemsAfter: (block) => nftsAfter(chain, block, address),
});
const holdersOf = (chain: Chain, collection: string): List => ({
  parent: `nftCollection(chainId: "${chain.chainId}", address: "${collection}")`,
  field: "holders",
  args: "orderBy: ADDRESS",
  node: "address balance",
  itemsAfter: (block) => heldOf(ofCollection(chain, block, collection), byText),
});
const itemHoldersOf = (chain: Chain, [collection = "", tokenId = ""]: readonly string[]): List => ({
  parent: `erc1155Token(chainId: "${chain.chainId}", address: "${collection}", tokenId: "${tokenId}")`,
  field: "holders",
  args: "orderBy: ADDRESS",
  node: "address balance",
  itemsAfter: (block) => heldOf(ofItem(chain, block, [collection, tokenId]), byText),
});
const listsOf = (chain: Chain): List[] => [
  ...chain.addresses.map((address) => nftsOf(chain, address)),
  ...collectionsOf(chain).map((collection) => holdersOf(chain, collection)),
  ...itemsOf(chain).map((item) => itemHoldersOf(chain, item)),
];

interface Page {
  readonly nodes: readonly { token?: Record<string, string>; address?: string; balance: string }[];
  readonly pageInfo: Readonly<Record<"hasNextPage" | "hasPreviousPage", boolean>> &
    Readonly<Record<"startCursor" | "endCursor", string | null>>;
  readonly totalCount: { readonly count: string; readonly isExact: boolean };
}

const pageField = ({ parent, field, args, node }: List, more: string): string =>
  `${parent} { list: ${field}(${args} ${more}) { nodes { ${node} } totalCount { count isExact }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
const pagesOf = async (lists: readonly List[], more: string): Promise<Page[]> =>
  ((await valuesOf(lists.map((list) => pageField(list, more)))) as { list: Page }[]).map(({ list }) => list);
const itemsIn = ({ nodes }: Page): Item[] =>
  nodes.map(({ token, address, balance }) => ({
    key: token ? `${token["address"]} ${token["tokenId"]}` : String(address),
    balance,
  }));
const block = (number: number): string => `at: { block: "${number}" }`;

describe("NFTs of an address, holders of a collection and holders of an ERC-1155 token after a block", () => {
  it("are those that a count over all transfers gives, with their number", async () => {
    for (const chain of CHAINS) {
      const lists = listsOf(chain);
      let longest = 0;
      for (const number of momentsOf(chain)) {
        const pages = await pagesOf(lists, `first: 100 ${block(number)}`);
        for (const [at, page] of pages.entries()) {
          const list = lists[at] as List;
          const expected = list.itemsAfter(number);
          longest = Math.max(longest, expected.length);
          expect([number, list.parent, itemsIn(page)]).toEqual([number, list.parent, expected]);
          expect(page.totalCount).toEqual({ count: String(expected.length), isExact: true });
          expect(page.pageInfo.hasNextPage).toBe(false);
        }
      }
      expect(longest).toBeGreaterThan(5);
    }
  });

  it("are after the last block those of the lists without a block, also by balance", async () => {
    for (const chain of CHAINS) {
      const lists = listsOf(chain);
      const now = await pagesOf(lists, "first: 100");
      expect(now.map(itemsIn)).toEqual(lists.map(({ itemsAfter }) => itemsAfter(chain.head)));
      const holders = lists.filter(({ field }) => field === "holders").map((list) => ({ ...list, args: "" }));
      const byBalance = await pagesOf(holders, "first: 100");
      const greatestFirst = (one: Item, other: Item): number => {
        const difference = BigInt(other.balance) - BigInt(one.balance);
        return difference === 0n ? -byText(one.key, other.key) : difference > 0n ? 1 : -1;
      };
      expect(byBalance.map(itemsIn)).toEqual(
        holders.map(({ itemsAfter }) => itemsAfter(chain.head).sort(greatestFirst)),
      );
    }
  });

  it("are read in pages of any size, forward and backward, all after the block of the first page", async () => {
    const number = C_CHAIN.blocks.at(-4) ?? 0;
    const longestOf = (lists: List[]): List =>
      lists.sort((a, b) => b.itemsAfter(number).length - a.itemsAfter(number).length)[0] as List;
    const all = listsOf(C_CHAIN);
    for (const list of [
      longestOf(all.filter(({ field }) => field === "nfts")),
      longestOf(all.filter(({ parent }) => parent.startsWith("nftCollection"))),
      longestOf(all.filter(({ parent }) => parent.startsWith("erc1155Token"))),
    ]) {
      const expected = list.itemsAfter(number);
      expect(expected.length).toBeGreaterThan(2);
      for (const size of [1, 2, expected.length]) {
        const forward: Item[] = [];
        for (let after: string | null = ""; after !== null; ) {
          const [page] = (await pagesOf([list], `first: ${size}, after: "${after}" ${block(number)}`)) as [Page];
          forward.push(...itemsIn(page));
          after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
        }
        expect([list.parent, size, forward]).toEqual([list.parent, size, expected]);
        const backward: Item[] = [];
        for (let before: string | null = ""; before !== null; ) {
          const [page] = (await pagesOf([list], `last: ${size}, before: "${before}" ${block(number)}`)) as [Page];
          backward.unshift(...itemsIn(page));
          before = page.pageInfo.hasPreviousPage ? page.pageInfo.startCursor : null;
        }
        expect([list.parent, size, backward]).toEqual([list.parent, size, expected]);
      }
      const [{ pageInfo }] = (await pagesOf([list], `first: 1 ${block(number)}`)) as [Page];
      const other = await run(
        `{ ${pageField(list, `first: 1, after: "${pageInfo.endCursor}" ${block(number - 1)}`)} }`,
      );
      expect(other.errors).toMatchObject([{ extensions: { code: "INVALID_PARAMETER" } }]);
    }
  });

  it("cost the same statements for one item and for a hundred, and for twenty lists of a chain", async () => {
    const number = C_CHAIN.head - 1;
    const costOf = async (lists: readonly List[], first: number): Promise<string[]> => {
      const fields = lists.map((list, at) => `f${at}: ${pageField(list, `first: ${first} ${block(number)}`)}`);
      const statements = await statementsOf(async () =>
        expect((await run(`{ ${fields.join(" ")} }`)).errors).toBeUndefined(),
      );
      return statements.map((text) => text.slice(0, 60)).sort();
    };
    const all = listsOf(C_CHAIN);
    for (const prefix of ["address", "nftCollection", "erc1155Token"]) {
      const lists = all
        .filter(({ parent, itemsAfter }) => parent.startsWith(`${prefix}(`) && itemsAfter(number).length > 0)
        .slice(0, 20);
      const one = await costOf(lists.slice(0, 1), 100);
      expect(one.length).toBeLessThanOrEqual(6);
      expect([prefix, await costOf(lists.slice(0, 1), 1)]).toEqual([prefix, one]);
      expect([prefix, await costOf(lists, 100)]).toEqual([prefix, one]);
    }
  });

  it("have no order by balance, and the order by address by default", async () => {
    for (const list of [
      holdersOf(C_CHAIN, collectionsOf(C_CHAIN)[0] ?? ""),
      itemHoldersOf(C_CHAIN, itemsOf(C_CHAIN)[0] ?? []),
    ]) {
      const { data, errors } = await run(
        `{ root: ${list.parent} { holders(${block(1)}, orderBy: BALANCE) { nodes { balance } } } }`,
      );
      expect(data).toEqual({ root: { holders: null } });
      const [byDefault] = await pagesOf([{ ...list, args: "" }], block(C_CHAIN.head));
      expect(byDefault).toEqual((await pagesOf([list], block(C_CHAIN.head)))[0]);
      expect(errors).toMatchObject([
        {
          message: "orderBy must be ADDRESS with at: the holders of NFTs after a block are not listed by balance",
          extensions: { code: "INVALID_PARAMETER" },
        },
      ]);
    }
  });
});

describe("balances, holders and supply of an ERC-1155 token after a block", () => {
  const tokenField = ({ chainId }: Chain, [address, tokenId]: readonly string[], fields: string): string =>
    `erc1155Token(chainId: "${chainId}", address: "${address}", tokenId: "${tokenId}") { ${fields} }`;

  it("are those that a count over all transfers gives", async () => {
    for (const chain of CHAINS) {
      const items = itemsOf(chain);
      for (const number of [...momentsOf(chain), null]) {
        const at = number === null ? "" : block(number);
        const args = at && `(${at})`;
        const balances = chain.addresses.map((address, n) => `b${n}: balance(address: "${address}" ${at})`);
        const fields = `holderCount${args} totalSupply${args} ${balances.join(" ")}`;
        const found = await valuesOf(items.map((item) => tokenField(chain, item, fields)));
        const expected = items.map((item) => {
          const held = ofItem(chain, number ?? chain.head, item);
          const own = chain.addresses.map((address, n) => [`b${n}`, String(held.get(address) ?? 0n)]);
          return { ...supplyOf(held), ...Object.fromEntries(own) };
        });
        expect([number, found]).toEqual([number, expected]);
      }
    }
  });

  it("are what `balanceOf` of the recorded node returns after the last block", async () => {
    for (const chain of CHAINS) {
      const known = chain.state.tokenBalances.filter(
        ({ token, tokenId, address, amount, height }) =>
          chain.kinds.get(token) === "erc1155" &&
          tokenId !== null &&
          amount !== null &&
          address !== ZERO &&
          height === chain.head &&
          chain.transfers.some((one) => one.token === token && one.tokenId === tokenId),
      );
      expect(known.filter(({ amount }) => amount !== 0n).length).toBeGreaterThan(5);
      const fields = known.map(({ token, tokenId, address, height }) =>
        tokenField(chain, [token, String(tokenId)], `balance(address: "${address}", ${block(height)})`),
      );
      expect(await valuesOf(fields)).toEqual(known.map(({ amount }) => ({ balance: String(amount) })));
    }
  });

  it("of the zero address are refused", async () => {
    const [item = []] = itemsOf(C_CHAIN);
    const { errors } = await run(`{ ${tokenField(C_CHAIN, item, `balance(address: "${ZERO}")`)} }`);
    expect(errors).toMatchObject([
      {
        message: "address must not be the zero address: its tokens are not counted",
        extensions: { code: "INVALID_PARAMETER" },
      },
    ]);
  });
});

it("the holders of an ERC-721 collection after the last block have what `balanceOf` of the recorded node returns", async () => {
  for (const chain of CHAINS) {
    const known = chain.state.tokenBalances.filter(
      ({ token, address, amount, height }) =>
        chain.kinds.get(token)?.startsWith("erc721") && amount !== null && address !== ZERO && height === chain.head,
    );
    expect(known.filter(({ amount }) => amount !== 0n).length).toBeGreaterThan(2);
    for (const token of new Set(known.map((one) => one.token))) {
      const [page] = (await pagesOf([holdersOf(chain, token)], `first: 1000 ${block(chain.head)}`)) as [Page];
      const held = new Map(itemsIn(page).map(({ key, balance }) => [key, balance]));
      for (const { address, amount } of known.filter((one) => one.token === token))
        expect([token, address, held.get(address) ?? "0"]).toEqual([token, address, String(amount)]);
    }
  }
});
