import { getAddress } from "viem";
import { createWork } from "../../core/work/work.ts";
import { C_CHAIN, L1, type OpenedEvm, openEvm } from "./evm.ts";
import { type Served, serveGateway, serveGraph, serveSubgraph } from "./served.ts";

const DEEDS = "0xaec8bb5c8ef4c13db42d5adf36bca9199d6677eb";
const HOUR = 3_600;

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

const reindex = (tokenId: string, address = DEEDS, chainId = C_CHAIN): string =>
  `mutation { reindexNft(chainId: "${chainId}", address: "${address}", tokenId: "${tokenId}") }`;

interface Queue {
  readonly attempts: number;
  readonly next: number | null;
}

async function queueOf(tokenId: string): Promise<Queue> {
  const { rows } = await opened.database.pool.query<Queue>(
    "SELECT attempts, next_attempt_at::float AS next FROM nft_metadata WHERE chain_id = $1 AND address = $2 AND token_id = $3",
    [C_CHAIN, `\\x${DEEDS.slice(2)}`, tokenId],
  );
  return rows[0] as Queue;
}

/** Sets the time of the last attempt to this many seconds ago. */
async function age(seconds: number): Promise<number> {
  const lookedAt = Math.floor(Date.now() / 1_000) - seconds;
  await opened.database.pool.query(
    "UPDATE nft_metadata SET attempts = 3, next_attempt_at = NULL, metadata_last_updated_timestamp = $1",
    [lookedAt],
  );
  return lookedAt;
}

describe.each(["in this process", "by URL"])("the mutation that reindexes metadata, evm %s", (where) => {
  let url: string;
  const closed: AsyncDisposable[] = [];
  beforeAll(async () => {
    const indexed = { database: opened.database, config: opened.database.config };
    const subgraph = where === "by URL" ? await serveSubgraph(indexed) : null;
    const served: Served = subgraph
      ? await serveGateway([{ name: "evm", url: subgraph.url }])
      : await serveGraph(indexed);
    url = served.url;
    closed.push(served, ...(subgraph ? [subgraph] : []));
  });
  afterAll(async () => {
    for (const resource of closed) await resource[Symbol.asyncDispose]();
  });

  async function post(query: string, variables: object = {}): Promise<Answer> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
    return (await response.json()) as Answer;
  }

  it("fetches the metadata again at once if the last attempt is long ago", async () => {
    await age(HOUR);
    const before = Math.floor(Date.now() / 1_000);
    expect(await post(reindex("1"))).toEqual({ data: { reindexNft: true } });
    const { attempts, next } = await queueOf("1");
    expect(attempts).toBe(0);
    expect(next).toBeGreaterThanOrEqual(before);
    expect(next).toBeLessThanOrEqual(Date.now() / 1_000);
    expect(await queueOf("2")).toEqual({ attempts: 3, next: null });
  });

  it("fetches the metadata at most once a minute, however often it is called", async () => {
    const lookedAt = await age(10);
    const variables = { chainId: C_CHAIN, address: DEEDS.toUpperCase().replace("X", "x"), tokenId: 1 };
    const query = `mutation Again($chainId: String!, $address: Address!, $tokenId: Quantity!) {
      a: reindexNft(chainId: $chainId, address: $address, tokenId: $tokenId)
      b: reindexNft(chainId: $chainId, address: $address, tokenId: $tokenId)
    }`;
    expect(await post(query, variables)).toEqual({ data: { a: true, b: true } });
    expect(await queueOf("1")).toEqual({ attempts: 0, next: lookedAt + 60 });
  });

  it.each([
    [
      "a token that no transfer named",
      reindex("999999"),
      "NOT_FOUND",
      new RegExp(`^token 999999 of ${getAddress(DEEDS)} has no indexed transfer`),
    ],
    ["a contract without NFTs", reindex("1", `0x${"1".repeat(40)}`), "NOT_FOUND", /^token 1 of 0x1111/],
    ["another chain's contract", reindex("1", DEEDS, L1), "NOT_FOUND", /on chain 760012/],
    ["a chain that is not served", reindex("1", DEEDS, "1"), "NOT_FOUND", /chainId "1"/],
    ["a malformed address", reindex("1", "0x1"), "INVALID_PARAMETER", /40 hex digits/],
    ["a malformed id", reindex("one"), "INVALID_PARAMETER", /non-negative integer/],
  ])("is refused for %s", async (_what, query, code, message) => {
    const { errors } = await post(query);
    expect(errors).toMatchObject([{ message: expect.stringMatching(message), extensions: { code } }]);
  });

  it("is refused by GET, which links and images can send", async () => {
    await age(HOUR);
    const response = await fetch(`${url}?query=${encodeURIComponent(reindex("1"))}`);
    expect(response.status).toBe(405);
    expect(await queueOf("1")).toEqual({ attempts: 3, next: null });
  });

  it("does not affect queries by GET", async () => {
    const query = `{ erc721Token(chainId: "${C_CHAIN}", address: "${DEEDS}", tokenId: "2") { name metadata { name indexStatus } } }`;
    expect(await post(query)).toEqual({
      data: { erc721Token: { name: "Boulder Deeds", metadata: { name: "Deed #2", indexStatus: "INDEXED" } } },
    });
  });
});

describe("the reindexing of metadata", () => {
  it("is refused for a chain without nftIndexing, with the reason", async () => {
    const { config, ...database } = opened.database;
    const evmChains = config.evmChains.map((chain) => ({ ...chain, enabledFeatures: [] }));
    await using served = await serveGraph({ database, config: { ...config, evmChains } });
    await age(HOUR);
    const { errors } = await served.graph.prepare(reindex("1"))({}, { work: createWork(), requestId: "test" });
    expect(errors).toMatchObject([
      {
        message: `chainId ${C_CHAIN}: nftIndexing is not enabled for this chain`,
        extensions: { code: "INVALID_PARAMETER" },
      },
    ]);
    expect(await queueOf("1")).toEqual({ attempts: 3, next: null });
  });
});

describe("NFTs as entities", () => {
  it("are found by their keys, and are null for keys without a token", async () => {
    const references = [
      { __typename: "Erc721Token", chainId: C_CHAIN, address: DEEDS, tokenId: "2" },
      {
        __typename: "Erc1155Token",
        chainId: C_CHAIN,
        address: "0x3d596b4bc2fc205cf1f3e7794a09e6d15c2ba9ba",
        tokenId: "77",
      },
      { __typename: "Erc721Token", chainId: C_CHAIN, address: DEEDS, tokenId: "999999" },
      { __typename: "Erc1155Token", chainId: "1", address: DEEDS, tokenId: "2" },
    ].map(
      (reference) =>
        `{ ${Object.entries(reference)
          .map(([name, value]) => `${name}: "${value}"`)
          .join(" ")} }`,
    );
    const query = `{ _entities(representations: [${references.join(" ")}]) {
      ... on Erc721Token { metadata { name } } ... on Erc1155Token { metadata { name } } } }`;
    expect(await opened.ask(query)).toEqual({
      data: { _entities: [{ metadata: { name: "Deed #2" } }, { metadata: { name: "Piece 77" } }, null, null] },
    });
  });
});
