import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { CONSTANT_WORK } from "../../../test/support/indexed/constant-work.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { CONTRACT_ERRORS, INVALID_RESULTS, NODE_ERRORS } from "../../../test/support/node/call-errors.ts";
import { type MetadataServer, startMetadataServer } from "../../../test/support/node/metadata-server.ts";
import { type ScriptedCall, startScriptedNode } from "../../../test/support/node/scripted-node.ts";
import { createNodeClient } from "../../shared/node/node-client.ts";
import { createWorkSignal } from "../../shared/work-signal.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { createEvmSource } from "../fetch/source.ts";
import { deleteContractAnswers } from "../store/roll-back.ts";
import { createPartitions } from "../store/tables.ts";
import { indexNftMetadata, type NftMetadataDeps } from "./index-nft-metadata.ts";
import { requeueNftMetadata } from "./store.ts";

const CHAIN = "77";
const CONTRACT = `0x${"c0".repeat(20)}`;
const OWNER = `0x${"0".repeat(24)}${"a".repeat(40)}`;
const REVERTED = { error: { code: 3, message: "execution reverted: no such token" } };

type WireAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };
type Answer = WireAnswer | null;

/** A token, and its contract's answers for its URI and its owner; null if there is never an answer. */
interface Scripted {
  readonly uri: Answer | ((count: number) => Answer);
  readonly owner?: Answer;
  readonly ercType?: "ERC-721" | "ERC-1155";
}

const text = (uri: string): { readonly result: string } => {
  const hex = Buffer.from(uri).toString("hex");
  const word = (value: number) => value.toString(16).padStart(64, "0");
  return { result: `0x${word(32)}${word(hex.length / 2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, "0")}` };
};

interface Row extends Record<string, unknown> {
  readonly token_id: string;
  readonly index_status: string;
  readonly attempts: number;
  readonly node_failures: number;
  readonly next_attempt_at: string | null;
  readonly metadata_last_updated_timestamp: string;
  readonly name: string | null;
}

interface RunningIndexer extends AsyncDisposable {
  readonly ended: Promise<void>;
}

/** Tokens 1, 2, … of a contract in a database of their own; token n first appears in block n. */
interface Opened extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly writer: Writer;
  /** Every `eth_call` so far, as selector and token id. */
  readonly calls: readonly string[];
  /** Number of requests for blocks so far. */
  readonly blockRequests: number;
  start(deps?: Partial<NftMetadataDeps>): RunningIndexer;
  /** Runs until no token is pending or due, and returns the metadata rows. */
  index(deps?: Partial<NftMetadataDeps>): Promise<Row[]>;
  rows(): Promise<Row[]>;
  query(text: string): Promise<Record<string, unknown>[]>;
}

const hashOf = (number: number): string => number.toString(16).padStart(64, "b");

async function open(server: MetadataServer | null, tokens: readonly Scripted[]): Promise<Opened> {
  const database = await createTestDatabase();
  const writer = (await tryBecomeWriter(database.url, CHAIN)) as Writer;
  const calls: string[] = [];
  let blockRequests = 0;
  const node = await startScriptedNode((requests) => {
    blockRequests += requests.filter(({ method }) => method === "eth_getBlockByNumber").length;
    const answers = requests.map((call) => answerTo(call, tokens, calls));
    if (answers.includes(null)) return null;
    const bodies = answers.map((answer, i) => ({ jsonrpc: "2.0", id: requests[i]?.id, ...answer }));
    return { body: bodies.length === 1 ? bodies[0] : bodies };
  });
  await createPartitions(writer, CHAIN);
  for (const [i, { ercType = "ERC-721" }] of tokens.entries()) await insert(database, i + 1, ercType);
  const rows = async () => {
    const all = `SELECT * FROM nft_metadata WHERE chain_id = ${CHAIN} ORDER BY token_id`;
    return (await database.pool.query<Row>(all)).rows;
  };
  const start = (deps: Partial<NftMetadataDeps> = {}) => startIndexer(node.url, writer, server, deps);
  const waiting = `SELECT count(*)::int AS count FROM nft_items i FULL JOIN nft_metadata m USING (address, token_id)
    WHERE i.metadata_state = 'PENDING' OR m.next_attempt_at <= extract(epoch FROM now())`;
  return {
    database,
    writer,
    calls,
    get blockRequests() {
      return blockRequests;
    },
    start,
    rows,
    query: async (statement) => (await database.pool.query(statement)).rows,
    async index(deps) {
      await using _indexer = start(deps);
      const count = async () => (await database.pool.query<{ count: number }>(waiting)).rows[0]?.count;
      await until(count, (left) => left === 0, "no token to wait");
      return rows();
    },
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function insert({ pool }: TestDatabase, number: number, ercType: string): Promise<void> {
  await pool.query(
    `INSERT INTO evm_blocks (chain_id, block_number, block_hash, parent_hash, block_timestamp, tx_count, base_fee, gas_used,
       gas_limit, gas_cost, fees_spent, cumulative_transactions, state_root, receipts_root, miner, size_bytes)
     VALUES ($1, $2, $3, '', 0, 0, 0, 0, 0, 0, 0, 0, '', '', '', 0)`,
    [CHAIN, number, `\\x${hashOf(number)}`],
  );
  await pool.query(
    "INSERT INTO nft_items (chain_id, address, token_id, erc_type, first_block_number) VALUES ($1, $2, $3, $4, $5)",
    [CHAIN, `\\x${CONTRACT.slice(2)}`, number, ercType, number],
  );
}

function answerTo({ method, params }: ScriptedCall, tokens: readonly Scripted[], calls: string[]): Answer {
  if (method === "eth_getBlockByNumber") {
    const number = Number(params[0]);
    return { result: { number: params[0], hash: `0x${hashOf(number)}`, parentHash: `0x${hashOf(number - 1)}` } };
  }
  const { data } = params[0] as { data: string };
  const tokenId = Number(`0x${data.slice(10)}`);
  const token = tokens[tokenId - 1] as Scripted;
  calls.push(`${data.slice(0, 10)} ${tokenId}`);
  if (data.startsWith("0x6352211e")) return token.owner === undefined ? { result: OWNER } : token.owner;
  const count = calls.filter((call) => call === calls.at(-1)).length;
  return typeof token.uri === "function" ? token.uri(count) : token.uri;
}

function startIndexer(
  url: string,
  writer: Writer,
  server: MetadataServer | null,
  deps: Partial<NftMetadataDeps>,
): RunningIndexer {
  const stop = new AbortController();
  const { signal } = stop;
  const options = { url, headers: {}, requestTimeoutMs: 300, maxConcurrency: 8, maxBatchSize: 10, signal };
  const client = createNodeClient(options);
  const running = indexNftMetadata({
    chainId: CHAIN,
    writer,
    work: CONSTANT_WORK,
    contractNode: () => ({ node: client, source: createEvmSource(client, "off") }),
    signal,
    isOn: true,
    settings: settings(),
    ...(server ? { addressPolicy: server.addressPolicy } : {}),
    ...deps,
  });
  return {
    ended: running,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test ends"));
      await running;
      await client[Symbol.asyncDispose]();
    },
  };
}

function settings(changed: Readonly<Record<string, unknown>> = {}): NftMetadataDeps["settings"] {
  const nftMetadata = { requestTimeoutMs: 3_000, maxBytes: 60_000, maxRedirects: 3, ...changed };
  return testConfig({ nftMetadata }).nftMetadata;
}

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

describe("the metadata of a token", () => {
  /** Status by path of the hostile server, and seconds until the next attempt. */
  const PATHS: readonly (readonly [path: string, status: string, wait: number | null])[] = [
    ["/good", "INDEXED", null],
    ["/as-html", "INDEXED", null],
    ["/latin", "INDEXED", null],
    ["/proto", "INDEXED", null],
    ["/redirect-twice", "INDEXED", null],
    ["/html", "INVALID_METADATA_JSON", null],
    ["/empty", "INVALID_METADATA_JSON", null],
    ["/array", "INVALID_METADATA", null],
    ["/text", "INVALID_METADATA", null],
    ["/null", "INVALID_METADATA", null],
    ["/large", "METADATA_CONTENT_TOO_LARGE", null],
    ["/large-in-pieces", "METADATA_CONTENT_TOO_LARGE", null],
    ["/gzip-bomb", "METADATA_CONTENT_TOO_LARGE", null],
    ["/missing", "UNREACHABLE_TOKEN_URI", 60],
    ["/broken", "UNREACHABLE_TOKEN_URI", 60],
    ["/busy", "UNREACHABLE_TOKEN_URI", 77],
    ["/too-short", "UNREACHABLE_TOKEN_URI", 60],
    ["/never", "UNREACHABLE_TOKEN_URI", 60],
    ["/slow", "UNREACHABLE_TOKEN_URI", 60],
    ["/loop", "UNREACHABLE_TOKEN_URI", 60],
    ["/redirect-to-http", "UNREACHABLE_TOKEN_URI", 60],
  ];

  it("has a status that depends on its server's answer, and is retried after a temporary failure", async () => {
    await using server = await startMetadataServer();
    await using tokens = await open(
      server,
      PATHS.map(([path]) => ({ uri: text(server.url + path) })),
    );
    const startedAt = nowSeconds();
    const rows = await tokens.index();
    const found = rows.map((row, i) => {
      const attemptedAt = Number(row.metadata_last_updated_timestamp);
      expect(attemptedAt).toBeGreaterThanOrEqual(startedAt);
      return [PATHS[i]?.[0], row.index_status, row.next_attempt_at && Number(row.next_attempt_at) - attemptedAt];
    });
    expect(found).toEqual(PATHS);
    const names = rows.filter(({ name }) => name !== null).map(({ name }) => name);
    expect(names).toEqual(["Good", "Good", "Café", "Own", "Good"]);
  });

  it("is not requested for other tokens of a server with a rate limit", async () => {
    await using server = await startMetadataServer();
    const uris = ["/throttled", "/good", "/good"].map((path) => ({ uri: text(server.url + path) }));
    await using tokens = await open(server, uris);
    const rows = await tokens.index({ settings: settings({ maxConcurrency: 1 }) });
    expect(rows.map(({ index_status, attempts }) => [index_status, attempts])).toEqual([
      ["THROTTLED_TOKEN_URI", 1],
      ["THROTTLED_TOKEN_URI", 0],
      ["THROTTLED_TOKEN_URI", 0],
    ]);
    for (const { next_attempt_at } of rows) expect(Number(next_attempt_at)).toBeGreaterThan(nowSeconds() + 1_200);
    expect(server.paths).toEqual(["/throttled"]);
  });

  const ANSWERS: readonly (readonly [what: string, token: Scripted, status: string])[] = [
    ["tokenURI reverts and the token has an owner", { uri: REVERTED }, "INVALID_TOKEN_URI"],
    ["tokenURI returns nothing and the token has an owner", { uri: { result: "0x" } }, "INVALID_TOKEN_URI"],
    ["tokenURI and ownerOf revert, as for a burned token", { uri: REVERTED, owner: REVERTED }, "MISSING_TOKEN"],
    [
      "tokenURI reverts and the owner is the zero address",
      { uri: REVERTED, owner: { result: `0x${"0".repeat(64)}` } },
      "MISSING_TOKEN",
    ],
    ["the contract has no code", { uri: { result: "0x" }, owner: { result: "0x" } }, "MISSING_TOKEN"],
    ["the token has a URI but no owner", { uri: text("data:,{}"), owner: REVERTED }, "INDEXED"],
    ["uri reverts, of ERC-1155", { uri: REVERTED, ercType: "ERC-1155" }, "UNKNOWN"],
    ["uri returns nothing, of ERC-1155", { uri: { result: "0x" }, ercType: "ERC-1155" }, "UNKNOWN"],
    ["an empty text", { uri: text("") }, "INVALID_TOKEN_URI"],
    ["a number", { uri: { result: `0x${"0".repeat(63)}7` } }, "INVALID_TOKEN_URI"],
    [
      "a text that is cut short",
      { uri: { result: `0x${"20".padStart(64, "0")}${"40".padStart(64, "0")}61` } },
      "INVALID_TOKEN_URI",
    ],
    ...CONTRACT_ERRORS.map((error) => [
      `the error ${error.code} ${JSON.stringify(error.message)} ${error.data ?? ""}`,
      { uri: { error } },
      "INVALID_TOKEN_URI",
    ]),
    ["http:", { uri: text("http://metadata.test/1") }, "INVALID_TOKEN_URI_SCHEME"],
    ["a longer URI than any metadata", { uri: text(`data:,${"x".repeat(200_000)}`) }, "METADATA_CONTENT_TOO_LARGE"],
    [
      "a data: URI with more than the allowed bytes",
      { uri: text(`data:,${"x".repeat(60_001)}`) },
      "METADATA_CONTENT_TOO_LARGE",
    ],
    [
      "bytes that are not UTF-8",
      { uri: { result: text("data:,{}").result.replace("7b7d", "00ff") } },
      "INVALID_METADATA_JSON",
    ],
  ] as never;

  describe("by its contract's answers", () => {
    let rows: readonly Row[];
    beforeAll(async () => {
      await using tokens = await open(
        null,
        ANSWERS.map(([, token]) => token),
      );
      rows = await tokens.index();
    });

    it.each(ANSWERS.map(([what, , status], index) => [what, status, index] as const))(
      "%s: %s",
      (_what, status, index) => {
        expect(rows[index]).toMatchObject({ index_status: status, next_attempt_at: null });
      },
    );
  });

  it("of ERC-1155 is read from the URI with the token's id in place of {id}", async () => {
    const hex = "1".padStart(64, "0");
    const documents = { [`/${hex}.json`]: JSON.stringify({ name: "One", image: "ipfs://images/{id}" }) };
    await using server = await startMetadataServer({ documents });
    await using tokens = await open(server, [{ uri: text(`${server.url}/{id}.json`), ercType: "ERC-1155" }]);
    const expected = { name: "One", image_uri: `ipfs://images/${hex}`, token_uri: `${server.url}/{id}.json` };
    expect(await tokens.index()).toMatchObject([expected]);
  });

  it("is stored with any text", async () => {
    const hostile = {
      name: "a\0\t\n\\N\ud800'\"$1",
      description: "<b>\\x00",
      attributes: [{ "\0": "\\" }],
      properties: 1,
    };
    const uri = `data:,${encodeURIComponent(JSON.stringify(hostile))}`;
    await using tokens = await open(null, [{ uri: text(`${uri}\0`) }]);
    expect(await tokens.index()).toMatchObject([
      {
        name: "a\t\n\\N\ufffd'\"$1",
        description: "<b>\\x00",
        attributes: JSON.stringify(hostile.attributes),
        properties: null,
        token_uri: uri,
      },
    ]);
  });
});

describe("a chain without nftIndexing", () => {
  it("makes no request, and stores the reason", async () => {
    await using server = await startMetadataServer();
    await using tokens = await open(server, [{ uri: text(`${server.url}/good`) }, { uri: text("data:,{}") }]);
    await using indexer = tokens.start({ isOn: false });
    const capability = () => tokens.query("SELECT capability, is_on, reason FROM chain_capabilities");
    const reason = "nftIndexing is not among the chain's enabledFeatures";
    await indexer.ended;
    expect(await capability()).toEqual([{ capability: "nftMetadata", is_on: false, reason }]);
    expect([tokens.calls, server.connections, await tokens.rows()]).toEqual([[], 0, []]);
    expect(await tokens.query("SELECT DISTINCT metadata_state FROM nft_items")).toEqual([
      { metadata_state: "PENDING" },
    ]);
  });
});

describe("with nftMetadata.remote off", () => {
  it("only data: URIs are read, without a request; the others are read after it is switched on", async () => {
    await using server = await startMetadataServer();
    await using gateway = await startMetadataServer({ isPlain: true });
    const cid = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
    const uris = [`${server.url}/good`, `ipfs://${cid}/1`, 'data:,{"name":"Inside"}'];
    await using tokens = await open(
      server,
      uris.map((uri) => ({ uri: text(uri) })),
    );
    const off = settings({ remote: false, ipfsGateway: gateway.url });
    expect(await tokens.index({ settings: off })).toMatchObject([
      { index_status: "UNINDEXED", token_uri: uris[0], next_attempt_at: null },
      { index_status: "UNINDEXED", token_uri: uris[1], next_attempt_at: null },
      { index_status: "INDEXED", name: "Inside" },
    ]);
    expect([server.connections, gateway.connections]).toEqual([0, 0]);
    await using _indexer = tokens.start({ settings: { ...off, remote: true } });
    await until(tokens.rows, (rows) => rows.every((row) => row.index_status !== "UNINDEXED"), "all to be attempted");
    expect((await tokens.rows()).map(({ index_status }) => index_status)).toEqual([
      "INDEXED",
      "UNREACHABLE_TOKEN_URI",
      "INDEXED",
    ]);
    expect(gateway.paths).toEqual([`/ipfs/${cid}/1`]);
  });
});

describe("stored metadata", () => {
  it("is not requested again after a replay", async () => {
    await using server = await startMetadataServer();
    await using tokens = await open(server, [{ uri: text(`${server.url}/good`) }, { uri: REVERTED }]);
    const before = await tokens.index();
    const requests = [tokens.calls.length, server.paths.length];
    await tokens.query("UPDATE nft_items SET metadata_state = 'PENDING'");
    expect(await tokens.index()).toEqual(before);
    expect([tokens.calls.length, server.paths.length]).toEqual(requests);
  });

  it("is deleted with the block in which the token first appeared, and only then", async () => {
    await using tokens = await open(null, [{ uri: text("data:,{}") }, { uri: text("data:,{}") }, { uri: REVERTED }]);
    await tokens.index();
    await tokens.writer.transaction((session) => deleteContractAnswers(session, CHAIN, 1));
    expect((await tokens.rows()).map(({ token_id }) => token_id)).toEqual(["1"]);
  });

  it("is not stored if the token's first block was replaced in the meantime", async () => {
    await using server = await startMetadataServer();
    await using tokens = await open(server, [{ uri: text(`${server.url}/never`) }]);
    await using _indexer = tokens.start({ settings: settings({ requestTimeoutMs: 300 }) });
    await until(
      async () => server.paths.length,
      (count) => count > 0,
      "the request",
    );
    await tokens.query("UPDATE evm_blocks SET block_hash = '\\x01'");
    const before = tokens.blockRequests;
    await until(
      async () => tokens.blockRequests,
      (count) => count > before,
      "the next page",
    );
    expect(await tokens.rows()).toEqual([]);
    expect(await tokens.query("SELECT metadata_state FROM nft_items")).toEqual([{ metadata_state: "PENDING" }]);
  });

  it("is read again when it is due, and kept if its server fails then", async () => {
    await using server = await startMetadataServer();
    const paths = ["/missing", "/good", "/broken"];
    let change = (path: string) => path;
    await using tokens = await open(
      server,
      paths.map((path) => ({ uri: () => text(server.url + change(path)) })),
    );
    await tokens.index();
    const due = "UPDATE nft_metadata SET next_attempt_at = extract(epoch FROM now())::bigint - 1";
    await tokens.query(due);
    change = (path) => ({ "/missing": "/good", "/good": "/broken" })[path] ?? path;
    expect(await tokens.index()).toMatchObject([
      { index_status: "INDEXED", name: "Good", attempts: 0, next_attempt_at: null },
      { index_status: "INDEXED", name: "Good", attempts: 1 },
      { index_status: "UNREACHABLE_TOKEN_URI", attempts: 2 },
    ]);
    const [, stays, fails] = await tokens.rows();
    expect(Number(stays?.next_attempt_at) - Number(stays?.metadata_last_updated_timestamp)).toBe(60);
    expect(Number(fails?.next_attempt_at) - Number(fails?.metadata_last_updated_timestamp)).toBe(240);
    // A result about the token itself replaces the stored metadata.
    await tokens.query(due);
    change = () => "/array";
    const last = await tokens.index();
    expect(last.map(({ index_status, name }) => [index_status, name])).toEqual(
      paths.map(() => ["INVALID_METADATA", null]),
    );
  });

  it("is read again on request, for all tokens or failed ones, of a contract or of one token", async () => {
    const uris = [text("data:,{}"), REVERTED, text("ar://x"), text("data:,[]")];
    await using tokens = await open(
      null,
      uris.map((uri) => ({ uri })),
    );
    await tokens.index();
    const requeue = (what: Parameters<typeof requeueNftMetadata>[2]) =>
      tokens.writer.transaction((session) => requeueNftMetadata(session, CHAIN, what));
    expect(await requeue({ onlyFailed: false })).toBe(4);
    expect(await requeue({ onlyFailed: true })).toBe(3);
    expect(await requeue({ onlyFailed: false, address: CONTRACT })).toBe(4);
    expect(await requeue({ onlyFailed: false, address: `0x${"1".repeat(40)}` })).toBe(0);
    expect(await requeue({ onlyFailed: false, address: CONTRACT, tokenId: "3" })).toBe(1);
    expect(await requeue({ onlyFailed: true, tokenId: "1" })).toBe(0);
    const before = tokens.calls.length;
    await tokens.index();
    expect(tokens.calls.slice(before).filter((call) => call.startsWith("0xc87b56dd"))).toHaveLength(4);
  });
});

describe("a token whose contract the node cannot call", () => {
  /** A clock that the test sets, in seconds. */
  function manualClock() {
    const clock = { now: nowSeconds(), nowSeconds: () => clock.now };
    return clock;
  }

  const FAILURES: readonly Answer[] = [
    ...NODE_ERRORS.map((error) => ({ error })),
    ...INVALID_RESULTS.map((result) => ({ result })),
    null,
  ];

  it("has no result, does not delay others, and is read when the node can call it: for any error of a node", async () => {
    let isHealthy = false;
    const good = text('data:,{"name":"Good"}');
    const bad = FAILURES.map((answer) => ({ uri: () => (isHealthy ? good : answer) }));
    await using tokens = await open(null, [{ uri: good }, ...bad, { uri: good }]);
    const clock = manualClock();
    await using _indexer = tokens.start({ nowSeconds: clock.nowSeconds });
    const whole = bad.length + 2;
    const failing = await until(tokens.rows, ({ length }) => length === whole, "all to be tried");
    const expected = FAILURES.map(() => ["UNINDEXED", null, 1, clock.now + 1]);
    const seen = failing.map((row) => [row.index_status, row.name, row.node_failures, Number(row.next_attempt_at)]);
    expect(seen.slice(1, -1)).toEqual(expected);
    expect([failing.at(0), failing.at(-1)]).toMatchObject([{ name: "Good" }, { name: "Good" }]);
    isHealthy = true;
    clock.now += 1;
    const rows = await until(
      tokens.rows,
      (all) => all.every(({ index_status }) => index_status === "INDEXED"),
      "all to be read",
    );
    expect(rows.map(({ name, node_failures }) => [name, node_failures])).toEqual(rows.map(() => ["Good", 0]));
  });

  it("is called again when it is due, although no block arrives", async () => {
    const failure = { error: { code: -32603, message: "Internal error" } };
    await using tokens = await open(null, [{ uri: (count) => (count > 2 ? text('data:,{"name":"Late"}') : failure) }]);
    await using _indexer = tokens.start({ work: createWorkSignal() });
    await until(tokens.rows, ([row]) => row?.name === "Late", "it to be read");
  });

  it("is called with growing pauses, and keeps an earlier result", async () => {
    const failure = { error: { code: -32603, message: "Internal error" } };
    let answer: Answer = text('data:,{"name":"First"}');
    await using tokens = await open(null, [{ uri: () => answer }, { uri: (count) => (count > 1 ? answer : REVERTED) }]);
    const clock = manualClock();
    await using _indexer = tokens.start({ nowSeconds: clock.nowSeconds });
    await until(tokens.rows, ({ length }) => length === 2, "both to be read");
    answer = failure;
    await tokens.query(`UPDATE nft_metadata SET next_attempt_at = ${clock.now}`);
    for (const failures of [1, 2, 3]) {
      const rows = await until(tokens.rows, (all) => all.every((row) => row.node_failures === failures), "a failure");
      expect(rows).toMatchObject([
        { index_status: "INDEXED", name: "First" },
        { index_status: "INVALID_TOKEN_URI", name: null },
      ]);
      for (const row of rows) expect(Number(row.next_attempt_at) - clock.now).toBe(2 ** (failures - 1));
      clock.now += 2 ** (failures - 1);
    }
    answer = text('data:,{"name":"Second"}');
    clock.now += 60;
    await until(tokens.rows, (all) => all.every(({ name }) => name === "Second"), "both to be read again");
  });

  it("because it is on another branch: is not called", async () => {
    await using tokens = await open(null, [{ uri: text("data:,{}") }]);
    await tokens.query("UPDATE evm_blocks SET block_hash = '\\x01'");
    await using _indexer = tokens.start();
    await until(
      async () => tokens.blockRequests,
      (count) => count >= 2,
      "two checks of the branch",
    );
    expect([tokens.calls, await tokens.rows()]).toEqual([[], []]);
  });
});
