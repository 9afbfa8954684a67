import type { ExecutionResult } from "graphql";
import { createWork } from "../../core/work/work.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { statementsOf } from "../support/database/statements.ts";
import { isFullRun, sampled } from "../support/full.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { results, type ScriptedNode, startScriptedNode } from "../support/node/scripted-node.ts";
import type { FactRow } from "../support/oracle/fact-row.ts";
import { expectedFacts } from "../support/oracle/facts-oracle.ts";
import { recordedChain } from "../support/recorded/node-chain.ts";
import { recordedState } from "../support/recorded/recorded-state.ts";
import { serveGraph } from "./served.ts";

const ZERO = `0x${"0".repeat(40)}`;
/** Contracts whose balances change without events. */
const NON_STANDARD = ["erc20Rebase", "erc20NoReturn"];
const PRICED_AT = 1_000_000_000;

/** The recorded chains, with what a count over their transfers gives. */
const CHAINS = (["c", "l1"] as const).map((name) => {
  const recording = openRecording(ALPHA);
  const chain = recordedChain(recording, name);
  const blocks = chain.blocks.map(({ block }) => ({
    number: Number(block.number),
    hash: block.hash as string,
    time: Number(block.timestamp),
  }));
  return {
    chainId: String(chain.chainId),
    kinds: chain.contractKinds,
    blocks,
    head: blocks.at(-1)?.number ?? 0,
    facts: expectedFacts(chain, chain.blocks),
    state: recordedState(recording, chain),
  };
});
type Chain = (typeof CHAINS)[number];
const [C_CHAIN] = CHAINS as [Chain];

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

const run = (query: string, variables: Record<string, unknown> = {}, { graph } = served): Promise<ExecutionResult> =>
  graph.prepare(query)(variables, { work: createWork(), requestId: "test" });

/** Values of many fields of the root, in their order, in requests of one hundred. */
async function valuesOf(fields: readonly string[], graph = served): Promise<unknown[]> {
  const values: unknown[] = [];
  for (let from = 0; from < fields.length; from += 100) {
    const aliased = fields.slice(from, from + 100).map((field, at) => `f${at}: ${field}`);
    const { data, errors } = await run(`{ ${aliased.join(" ")} }`, {}, graph);
    expect(errors).toBeUndefined();
    values.push(...Object.values(data ?? {}));
  }
  return values;
}

const lower = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/0x[0-9a-fA-F]{40}/g, (text) => text.toLowerCase()));
const ofAddress = ({ chainId }: Chain, address: string, fields: string) =>
  `address(chainId: "${chainId}", address: "${address}") { ${fields} }`;
const ofToken = ({ chainId }: Chain, address: string, fields: string) =>
  `erc20Token(chainId: "${chainId}", address: "${address}") { ${fields} }`;
const block = (number: number) => `at: { block: "${number}" }`;

/** The last row of each key up to a block. */
function lastRows(rows: readonly FactRow[], keyOf: (row: FactRow) => string, upTo: number): Map<string, FactRow> {
  const last = new Map<string, FactRow>();
  for (const row of inOrder(rows)) if (Number(row["block_number"]) <= upTo) last.set(keyOf(row), row);
  return last;
}

const inOrder = (rows: readonly FactRow[]): FactRow[] =>
  [...rows].sort(
    (a, b) =>
      Number(a["block_number"]) - Number(b["block_number"]) ||
      Number(a["log_index"] ?? 0) - Number(b["log_index"] ?? 0),
  );

/** The tokens that each address held after a block, by a count over all changes. */
function holdingsAfter(
  { facts: { erc20_balances } }: Chain,
  upTo: number,
): Map<string, { token: string; balance: string }[]> {
  const held = new Map<string, { token: string; balance: string }[]>();
  for (const row of lastRows(erc20_balances, (row) => `${row["token_address"]} ${row["address"]}`, upTo).values()) {
    if (BigInt(row["balance"] ?? 0) <= 0n) continue;
    const address = String(row["address"]);
    held.set(address, [
      ...(held.get(address) ?? []),
      { token: String(row["token_address"]), balance: String(row["balance"]) },
    ]);
  }
  for (const tokens of held.values()) tokens.sort((a, b) => (a.token < b.token ? -1 : 1));
  return held;
}

/** A node that returns the recorded balances of a chain after the blocks of all recorded heights. */
function recordedBalances({ state, blocks }: Chain): Promise<ScriptedNode> {
  const heights = new Map(blocks.map(({ number, hash }) => [hash, number]));
  const known = new Map(state.balances.map(({ address, height, amount }) => [`${address} ${height}`, amount]));
  return startScriptedNode((calls) => ({
    body: results(calls, ({ params: [address, at] }) => {
      const height = heights.get((at as { blockHash: string }).blockHash);
      return `0x${(known.get(`${address} ${height}`) ?? 0n).toString(16)}`;
    }),
  }));
}

describe("the native balance after a block", () => {
  it("is what the node returned at every recorded height, also as a variable and by time", async () => {
    for (const chain of CHAINS) {
      await using node = await recordedBalances(chain);
      const evmChains = alpha.config.evmChains
        .filter(({ chainId }) => String(chainId) === chain.chainId)
        .map((one) => ({ ...one, nodeUrl: node.url }));
      await using graph = await serveGraph({ database: alpha, config: { ...alpha.config, evmChains } });
      const known = chain.state.balances.filter(({ amount }) => amount !== null);
      const asked = sampled(known, 60);
      expect(new Set(asked.map(({ height }) => height)).size).toBeGreaterThan(1);
      const fields = asked.map(({ address, height }) =>
        ofAddress(chain, address, `nativeBalance(${block(height)}) { balance }`),
      );
      expect(await valuesOf(fields, graph)).toEqual(
        asked.map(({ amount }) => ({ nativeBalance: { balance: String(amount) } })),
      );
      for (const { address, height, amount } of asked.slice(0, 5)) {
        const time = chain.blocks.find(({ number }) => number === height)?.time;
        const isLast = chain.blocks.filter((one) => one.time === time).at(-1)?.number === height;
        for (const at of [{ block: String(height) }, ...(isLast ? [{ time }] : [])]) {
          const query = `query ($at: StateAt) { ${ofAddress(chain, address, "nativeBalance(at: $at) { balance }")} }`;
          const { data, errors } = await run(query, { at }, graph);
          expect(errors).toBeUndefined();
          expect(data?.["address"]).toEqual({ nativeBalance: { balance: String(amount) } });
        }
      }
    }
  });
});

describe("ERC-20 balances after a block", () => {
  it("of standard tokens are what balanceOf returned at every recorded height", async () => {
    for (const chain of CHAINS) {
      const asked = chain.state.tokenBalances.filter(
        ({ token, tokenId, address, amount }) =>
          amount !== null &&
          tokenId === null &&
          address !== ZERO &&
          chain.kinds.get(token)?.startsWith("erc20") &&
          !NON_STANDARD.includes(chain.kinds.get(token) ?? ""),
      );
      const chosen = sampled(asked, 100);
      const fields = chosen.map(({ token, address, height }) =>
        ofToken(chain, token, `balance(address: "${address}", ${block(height)})`),
      );
      expect(await valuesOf(fields)).toEqual(chosen.map(({ amount }) => ({ balance: String(amount) })));
    }
    expect(C_CHAIN.state.tokenBalances.length).toBeGreaterThan(500);
  });

  it("of every address are those that a count over all transfers gives, in pages of any size", async () => {
    for (const chain of CHAINS) {
      const addresses = [...new Set(chain.facts.erc20_balances.map(({ address }) => String(address)))].sort();
      for (const { number } of sampled(chain.blocks, 12)) {
        const held = holdingsAfter(chain, number);
        const list = `erc20Balances(${block(number)}) { pageInfo { hasNextPage } balances: nodes { token { address } balance } }`;
        const found = await valuesOf(addresses.map((address) => ofAddress(chain, address, list)));
        const expected = addresses.map((address) => ({
          erc20Balances: {
            pageInfo: { hasNextPage: false },
            balances: (held.get(address) ?? []).map(({ token, balance }) => ({ token: { address: token }, balance })),
          },
        }));
        expect([number, lower(found)]).toEqual([number, expected]);
      }
      const [most = "", tokens = []] =
        [...holdingsAfter(chain, chain.head - 5)].sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
      expect(await pagesOf(chain, most, block(chain.head - 5), 2)).toEqual(tokens.map(({ token }) => token));
    }
  });

  it("read the block of the first page on all later pages, and refuse its token with another block", async () => {
    const { chainId, head, blocks } = C_CHAIN;
    const [most = ""] = [...holdingsAfter(C_CHAIN, head - 5)].sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
    const time = blocks.find(({ number }) => number === head)?.time;
    const list = (after: string, at = `at: { time: ${time} }`) =>
      `{ ${ofAddress(C_CHAIN, most, `erc20Balances(${at}, first: 1, after: "${after}") { pageInfo { endCursor } balances: nodes { balance } }`)} }`;
    const first = await run(list(""));
    const { endCursor } = (first.data as unknown as Listed).address.erc20Balances.pageInfo;
    const statements = await statementsOf(async () => {
      expect((await run(list(String(endCursor)))).errors).toBeUndefined();
    });
    expect(statements.filter((text) => text.includes("headNumber"))).toEqual([]);
    expect((await run(list(String(endCursor), block(head)))).errors).toMatchObject([
      { extensions: { code: "INVALID_PARAMETER" } },
    ]);
    // Another replica has fewer blocks.
    const behind = (more: number) =>
      alpha.pool.query("UPDATE chain_heads SET block_number = block_number + $2 WHERE chain_id = $1", [chainId, more]);
    await behind(-1);
    const missing = await run(list(String(endCursor)));
    await behind(1);
    expect(missing.errors).toMatchObject([{ extensions: { code: "UNAVAILABLE" } }]);
    // A reorganisation replaces the block between two pages.
    const replace = (hash: string) =>
      alpha.pool.query("UPDATE evm_blocks SET block_hash = $3 WHERE chain_id = $1 AND block_number = $2", [
        chainId,
        head,
        hash,
      ]);
    const { rows } = await alpha.pool.query(
      "SELECT block_hash AS hash FROM evm_blocks WHERE chain_id = $1 AND block_number = $2",
      [chainId, head],
    );
    await replace(`\\x${"ee".repeat(32)}`);
    const { errors } = await run(list(String(endCursor)));
    await replace(rows[0].hash);
    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(/^a reorganisation has replaced block/),
        extensions: { code: "INVALID_PARAMETER" },
      },
    ]);
  });

  it("have the prices at the time of the block", async () => {
    const { chainId } = C_CHAIN;
    const [[address = "", [{ token = "" } = {}] = []] = []] = [...holdingsAfter(C_CHAIN, C_CHAIN.head)];
    const config = {
      ...alpha.config,
      evmChains: alpha.config.evmChains.map((chain) => ({ ...chain, tokenPriceIds: { [token]: "past" } })),
    };
    const time = C_CHAIN.blocks.at(-1)?.time ?? PRICED_AT;
    await alpha.pool.query("INSERT INTO prices VALUES ('past', 'usd', $1, 3)", [time - 5]);
    await using priced = await serveGraph({ database: alpha, config });
    const fields = (at: string) => `erc20Balances${at} { balances: nodes { token { address } price { value } } }`;
    const query = `{ address(chainId: "${chainId}", address: "${address}") { now: ${fields("")} then: ${fields(`(at: { time: ${time} })`)} } }`;
    const { data } = await priced.graph.prepare(query)({}, { work: createWork(), requestId: "test" });
    const lists = data?.["address"] as Record<string, { balances: { token: { address: string }; price: unknown }[] }>;
    const priceIn = (name: string) =>
      lists[name]?.balances.find((one) => one.token.address.toLowerCase() === token)?.price;
    expect([priceIn("now"), priceIn("then")]).toEqual([null, { value: "3" }]);
  });
});

interface Listed {
  readonly address: {
    readonly erc20Balances: {
      readonly pageInfo: { readonly hasNextPage?: boolean; readonly endCursor: string | null };
      readonly balances: readonly { readonly token: { readonly address: string } }[];
    };
  };
}

async function pagesOf(chain: Chain, address: string, at: string, pageSize: number): Promise<string[]> {
  const found: string[] = [];
  for (let token: string | null = ""; token !== null; ) {
    const list = `erc20Balances(${at}, first: ${pageSize}, after: "${token}") { pageInfo { hasNextPage endCursor } balances: nodes { token { address } } }`;
    const { data, errors } = await run(`{ ${ofAddress(chain, address, list)} }`);
    expect(errors).toBeUndefined();
    const page = (data as unknown as Listed).address.erc20Balances;
    found.push(...page.balances.map((balance) => balance.token.address.toLowerCase()));
    token = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  }
  return found;
}

describe("the owner of an ERC-721 token after a block", () => {
  it("is the recipient of the last transfer up to it, at every block with a transfer", async () => {
    for (const chain of CHAINS) {
      const { erc721_transfers } = chain.facts;
      const keyOf = (row: FactRow) => `${row["token_address"]} ${row["token_id"]}`;
      const keys = [...new Set(erc721_transfers.map(keyOf))];
      const numbers = [...new Set(erc721_transfers.map((row) => Number(row["block_number"])))];
      for (const number of sampled(numbers, isFullRun ? numbers.length : 8)) {
        const owners = lastRows(erc721_transfers, keyOf, number);
        const fields = keys.map((key) => {
          const [address, tokenId] = key.split(" ");
          return `erc721Token(chainId: "${chain.chainId}", address: "${address}", tokenId: "${tokenId}") { ownerAddress(${block(number)}) owner(${block(number)}) { address } }`;
        });
        const ownerOf = (key: string) => {
          const to = owners.get(key)?.["to_address"] ?? ZERO;
          return to === ZERO ? null : to;
        };
        expect([number, lower(await valuesOf(fields))]).toEqual([
          number,
          keys.map((key) => {
            const ownerAddress = ownerOf(key);
            return { ownerAddress, owner: ownerAddress === null ? null : { address: ownerAddress } };
          }),
        ]);
      }
    }
  });

  it("is what `ownerOf` of the recorded node returns after the last block", async () => {
    const { owners } = C_CHAIN.state;
    // Some contracts that emit ERC-721 transfers refuse the call.
    const known = owners.filter(
      ({ token, tokenId, owner }) =>
        owner !== null &&
        C_CHAIN.facts.erc721_transfers.some((row) => row["token_address"] === token && row["token_id"] === tokenId),
    );
    expect(known.length).toBeGreaterThan(10);
    const fields = known.map(
      ({ token, tokenId }) =>
        `erc721Token(chainId: "${C_CHAIN.chainId}", address: "${token}", tokenId: "${tokenId}") { owner(${block(C_CHAIN.head)}) { address } }`,
    );
    expect(lower(await valuesOf(fields))).toEqual(known.map(({ owner }) => ({ owner: { address: owner } })));
  });

  it("costs two statements for a page of tokens of any size", async () => {
    const collection = String(C_CHAIN.facts.erc721_transfers[0]?.["token_address"]);
    const countOf = async (first: number) => {
      const owner = `owner(${block(100)}) { address }`;
      const page = `nftCollection(chainId: "${C_CHAIN.chainId}", address: "${collection}") { tokens(first: ${first}) {
        nodes { erc721Token { ${owner} } } } }`;
      const statements = await statementsOf(async () => expect((await run(`{ ${page} }`)).errors).toBeUndefined());
      return [
        statements.filter((text) => text.includes("headNumber")).length,
        statements.filter((text) => text.includes("t.block_number <= k.block_number")).length,
        statements.length,
      ];
    };
    const one = await countOf(1);
    expect(one.slice(0, 2)).toEqual([1, 1]);
    expect(await countOf(20)).toEqual(one);
  });
});

describe("`at`", () => {
  const message = "at must have exactly one of block and time";
  const last = C_CHAIN.blocks.at(-1);
  const first = C_CHAIN.blocks[0];
  const cases: readonly [unknown, string][] = [
    [{}, message],
    [{ block: "1", time: 1 }, message],
    [{ block: null, time: 1 }, message],
    [{ block: null }, message],
    [
      { block: String(C_CHAIN.head + 1) },
      `at.block must be at most ${C_CHAIN.head}, the last indexed block, got ${C_CHAIN.head + 1}`,
    ],
    [
      { block: "9".repeat(78) },
      `at.block must be at most ${C_CHAIN.head}, the last indexed block, got ${"9".repeat(78)}`,
    ],
    [
      { time: (last?.time ?? 0) + 1 },
      `at.time must be at most ${last?.time}, the timestamp of the last indexed block ${C_CHAIN.head}, got ${(last?.time ?? 0) + 1}`,
    ],
    [
      { time: (first?.time ?? 0) - 1 },
      `at.time must not be before the chain's first block, got ${(first?.time ?? 0) - 1}`,
    ],
  ];
  const token = String(C_CHAIN.facts.erc20_tokens[0]?.["address"]);
  const nft = C_CHAIN.facts.erc721_transfers[0];
  const item = C_CHAIN.facts.erc1155_transfers[0];
  const ofItem = (fields: string): string =>
    `erc1155Token(chainId: "${C_CHAIN.chainId}", address: "${item?.["token_address"]}", tokenId: "${item?.["token_id"]}") { ${fields} }`;
  const FIELDS: Readonly<Record<string, string>> = {
    nativeBalance: ofAddress(C_CHAIN, token, "found: nativeBalance(at: $at) { balance }"),
    erc20Balances: ofAddress(C_CHAIN, token, "found: erc20Balances(at: $at) { pageInfo { hasNextPage } }"),
    balance: ofToken(C_CHAIN, token, `found: balance(address: "${token}", at: $at)`),
    holders: ofToken(C_CHAIN, token, "found: holders(at: $at) { pageInfo { hasNextPage } }"),
    holderCount: ofToken(C_CHAIN, token, "found: holderCount(at: $at)"),
    totalSupply: ofToken(C_CHAIN, token, "found: totalSupply(at: $at)"),
    owner: `erc721Token(chainId: "${C_CHAIN.chainId}", address: "${nft?.["token_address"]}", tokenId: "${nft?.["token_id"]}") { found: owner(at: $at) { address } }`,
    nfts: ofAddress(C_CHAIN, token, "found: nfts(at: $at) { pageInfo { hasNextPage } }"),
    "holders of a collection": `nftCollection(chainId: "${C_CHAIN.chainId}", address: "${nft?.["token_address"]}") { found: holders(orderBy: ADDRESS, at: $at) { pageInfo { hasNextPage } } }`,
    "holders of an ERC-1155 token": ofItem("found: holders(orderBy: ADDRESS, at: $at) { pageInfo { hasNextPage } }"),
    "holderCount of an ERC-1155 token": ofItem("found: holderCount(at: $at)"),
    "totalSupply of an ERC-1155 token": ofItem("found: totalSupply(at: $at)"),
    "balance of an ERC-1155 token": ofItem(`found: balance(address: "${token}", at: $at)`),
    ownerAddress: `erc721Token(chainId: "${C_CHAIN.chainId}", address: "${nft?.["token_address"]}", tokenId: "${nft?.["token_id"]}") { found: ownerAddress(at: $at) }`,
  };

  it.each(Object.keys(FIELDS))("that is not an indexed block is refused by %s, whose field is null", async (name) => {
    for (const [at, expected] of cases) {
      const { data, errors } = await run(`query ($at: StateAt) { root: ${FIELDS[name]} }`, { at });
      expect([at, data]).toEqual([at, { root: { found: null } }]);
      expect([at, errors]).toMatchObject([at, [{ message: expected, extensions: { code: "INVALID_PARAMETER" } }]]);
    }
  });

  it.each(Object.keys(FIELDS))("as null is the default of %s", async (name) => {
    const field = `{ root: ${FIELDS[name]} }`;
    const given = await run(`query ($at: StateAt) ${field}`, { at: null });
    const absent = await run(field.replaceAll("(at: $at)", "").replaceAll(", at: $at", ""));
    expect(given).toEqual(absent);
    expect(given.errors).toBeUndefined();
  });

  it("selects by time the last block up to it, and costs one more statement whatever the number of fields", async () => {
    const { blocks } = C_CHAIN;
    for (const { time } of sampled(blocks, 10)) {
      const last = blocks.filter((one) => one.time <= time).at(-1)?.number ?? 0;
      const fields = (at: string) => ofToken(C_CHAIN, token, `holderCount(${at}) totalSupply(${at})`);
      const [byTime, byBlock] = await valuesOf([fields(`at: { time: ${time} }`), fields(block(last))]);
      expect([time, byTime]).toEqual([time, byBlock]);
    }
    const many = (at: string) =>
      run(
        `{ ${ofToken(C_CHAIN, token, Array.from({ length: 20 }, (_, n) => `f${n}: holderCount(${at.replace("N", String(n + 1))})`).join(" "))} }`,
      );
    const statements = await statementsOf(() => many(`at: { block: N }`));
    expect(statements.filter((text) => text.includes("headNumber"))).toHaveLength(1);
    expect(statements.filter((text) => text.includes("erc20_supplies"))).toHaveLength(1);
  });
});
