import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { CONSTANT_WORK } from "../../../test/support/indexed/constant-work.ts";
import { startIndexing, until } from "../../../test/support/indexed/indexing.ts";
import { syntheticChain } from "../../../test/support/indexed/synthetic-chain.ts";
import {
  type CallErrorAnswer,
  CONTRACT_ERRORS,
  INVALID_RESULTS,
  NODE_ERRORS,
} from "../../../test/support/node/call-errors.ts";
import { type ScriptedAnswer, type ScriptedCall, startScriptedNode } from "../../../test/support/node/scripted-node.ts";
import { createNodeClient } from "../../shared/node/node-client.ts";
import { createWorkSignal } from "../../shared/work-signal.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { createEvmSource } from "../fetch/source.ts";
import { deleteContractAnswers } from "../store/roll-back.ts";
import { createPartitions } from "../store/tables.ts";
import { indexTokens, type TokenDeps } from "./index-tokens.ts";
import { requeueContracts } from "./store.ts";

const CHAIN = 77;
const HOUR = 3_600;
const DAY = 24 * HOUR;
const hashOf = (number: number): string => number.toString(16).padStart(64, "b");
const addressOf = (number: number): string => number.toString(16).padStart(40, "0");
const word = (value: number): string => value.toString(16).padStart(64, "0");
const text = (value: string): string => {
  const hex = Buffer.from(value).toString("hex");
  return `0x${word(32)}${word(hex.length / 2)}${hex.padEnd(64, "0")}`;
};
const result = (value: unknown): NodeAnswer => ({ result: value });
const REVERTED: NodeAnswer = { error: { code: 3, message: "execution reverted: no", data: "0x" } };
const INTERNAL: NodeAnswer = { error: { code: -32603, message: "Internal error" } };

type NodeAnswer = { readonly result: unknown } | { readonly error: CallErrorAnswer };
/** Answer of a contract's method; null: the whole request is never answered. */
type OnCall = (token: number, method: "name" | "symbol" | "decimals") => NodeAnswer | null;

const METHODS = { "0x06fdde03": "name", "0x95d89b41": "symbol", "0x313ce567": "decimals" } as const;

/** The answers of a contract with this name and 18 decimals. */
const named =
  (name: string): OnCall =>
  (_token, method) =>
    result(method === "decimals" ? `0x${word(18)}` : text(method === "name" ? name : name.slice(0, 3)));

interface Row extends Record<string, unknown> {
  readonly address: Buffer;
  readonly metadata_status: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly answers: string | null;
  readonly node_failures: number;
  readonly empty_answers: number;
  readonly next_attempt_at: string | null;
}

interface Opened extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly writer: Writer;
  /** The time, which the test sets. */
  readonly clock: { now: number };
  /** Number of `eth_call` requests so far. */
  readonly calls: number;
  answer: OnCall;
  start(deps?: Partial<TokenDeps>): AsyncDisposable;
  rows(): Promise<Row[]>;
  /** Waits until all rows satisfy the condition. */
  untilAll(isDone: (row: Row) => boolean, what: string): Promise<Row[]>;
  query(statement: string): Promise<unknown>;
}

/** Contracts 1 to `count`; contract n first appears in block n. */
async function open(count: number, answer: OnCall, table = "erc20_tokens"): Promise<Opened> {
  const database = await createTestDatabase();
  const writer = (await tryBecomeWriter(database.url, String(CHAIN))) as Writer;
  await createPartitions(writer, String(CHAIN));
  for (let number = 1; number <= count; number++) await insert(database, number, table);
  let calls = 0;
  const node = await startScriptedNode((requests): ScriptedAnswer | null => {
    const answers = requests.map((call) => {
      if (call.method === "eth_call") calls++;
      return call.method === "eth_call" ? called(call, opened.answer) : result(headerOf(call));
    });
    if (answers.includes(null)) return null;
    const bodies = answers.map((one, i) => ({ jsonrpc: "2.0", id: requests[i]?.id, ...one }));
    return { body: bodies.length === 1 ? bodies[0] : bodies };
  });
  const SELECT = `SELECT t.*, r.answers, r.node_failures, r.empty_answers, r.next_attempt_at
    FROM ${table} t LEFT JOIN raw_token_answers r USING (chain_id, address) ORDER BY address`;
  const rows = async () => (await database.pool.query<Row>(SELECT)).rows;
  const clock = { now: Math.floor(Date.now() / 1_000) };
  const opened: Opened = {
    database,
    writer,
    clock,
    get calls() {
      return calls;
    },
    answer,
    start: (deps) => start(node.url, writer, { nowSeconds: () => clock.now, ...deps }),
    rows,
    untilAll: (isDone, what) => until(rows, (all) => all.every(isDone), what),
    query: (statement) => database.pool.query(statement),
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
  return opened;
}

function called({ params }: ScriptedCall, onCall: OnCall): NodeAnswer | null {
  const { to, data } = params[0] as { to: string; data: keyof typeof METHODS };
  return onCall(Number(to), METHODS[data]);
}

function headerOf({ params }: ScriptedCall): unknown {
  const number = Number(params[0]);
  return { number: params[0], hash: `0x${hashOf(number)}`, parentHash: `0x${hashOf(number - 1)}` };
}

async function insert({ pool }: TestDatabase, number: number, table: string): Promise<void> {
  await pool.query(
    `INSERT INTO evm_blocks (chain_id, block_number, block_hash, parent_hash, block_timestamp, tx_count, base_fee, gas_used,
       gas_limit, gas_cost, fees_spent, cumulative_transactions, state_root, receipts_root, miner, size_bytes)
     VALUES ($1, $2, $3, '', 0, 0, 0, 0, 0, 0, 0, 0, '', '', '', 0)`,
    [CHAIN, number, `\\x${hashOf(number)}`],
  );
  await pool.query(`INSERT INTO ${table} (chain_id, address, first_block_number) VALUES ($1, $2, $3)`, [
    CHAIN,
    `\\x${addressOf(number)}`,
    number,
  ]);
}

function start(url: string, writer: Writer, deps: Partial<TokenDeps>): AsyncDisposable {
  const stop = new AbortController();
  const { signal } = stop;
  const limits = { requestTimeoutMs: 200, maxConcurrency: 8, maxBatchSize: 10 };
  const node = createNodeClient({ url, headers: {}, signal, ...limits });
  const source = createEvmSource(node, "off");
  const contractNode = () => ({ node, source });
  const running = indexTokens({
    chainId: String(CHAIN),
    writer,
    work: CONSTANT_WORK,
    contractNode,
    signal,
    ...deps,
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test ends"));
      await running;
      await node[Symbol.asyncDispose]();
    },
  };
}

const isIndexed = ({ metadata_status }: Row) => metadata_status === "INDEXED";

describe("a contract that the node cannot call", () => {
  const FAILURES: readonly (NodeAnswer | null)[] = [
    ...NODE_ERRORS.map((error) => ({ error })),
    ...INVALID_RESULTS.map(result),
    null,
  ];

  it("is unavailable, and has its name and decimals when the node can call it: for any error of a node", async () => {
    let isHealthy = false;
    const good = named("Token");
    await using tokens = await open(FAILURES.length + 1, (token, method) =>
      isHealthy || token > FAILURES.length ? good(token, method) : (FAILURES[token - 1] as NodeAnswer | null),
    );
    await using _indexer = tokens.start();
    const rows = await tokens.untilAll((row) => row.metadata_status !== "PENDING", "all to be called");
    const failing = { metadata_status: "UNAVAILABLE", name: "", symbol: "", decimals: 0, answers: null };
    for (const [i, failure] of FAILURES.entries())
      expect([failure, rows[i]]).toEqual([failure, expect.objectContaining({ ...failing, node_failures: 1 })]);
    expect(rows.at(-1)).toMatchObject({ metadata_status: "INDEXED", name: "Token" });
    isHealthy = true;
    tokens.clock.now += 1;
    for (const row of await tokens.untilAll(isIndexed, "all to be read"))
      expect(row).toMatchObject({
        name: "Token",
        symbol: "Tok",
        decimals: 18,
        node_failures: 0,
        next_attempt_at: null,
      });
  });

  it("fails as a whole if the node fails for one of its three methods", async () => {
    const methods = ["name", "symbol", "decimals"];
    let isHealthy = false;
    await using tokens = await open(3, (token, method) =>
      !isHealthy && methods[token - 1] === method ? INTERNAL : named("Token")(token, method),
    );
    await using _indexer = tokens.start();
    const rows = await tokens.untilAll((row) => row.metadata_status !== "PENDING", "all to be called");
    expect(rows.map(({ metadata_status }) => metadata_status)).toEqual(["UNAVAILABLE", "UNAVAILABLE", "UNAVAILABLE"]);
    isHealthy = true;
    tokens.clock.now += 1;
    for (const row of await tokens.untilAll(isIndexed, "all to be read")) expect(row).toMatchObject({ name: "Token" });
  });

  it("is called again when it is due, although no block arrives", async () => {
    let isHealthy = false;
    await using tokens = await open(1, (token, method) => (isHealthy ? named("Late")(token, method) : INTERNAL));
    const nowSeconds = () => Math.floor(Date.now() / 1_000);
    await using _indexer = tokens.start({ work: createWorkSignal(), nowSeconds });
    await tokens.untilAll(({ node_failures }) => node_failures === 2, "two failures");
    isHealthy = true;
    await tokens.untilAll(isIndexed, "it to be read");
  });

  it("is called with growing pauses, of at most an hour, without an end", async () => {
    await using tokens = await open(1, () => INTERNAL);
    await using _indexer = tokens.start();
    for (let failures = 1; failures <= 15; failures++) {
      const [row] = await tokens.untilAll(({ node_failures }) => node_failures === failures, `failure ${failures}`);
      const pause = Number(row?.next_attempt_at) - tokens.clock.now;
      expect([row?.metadata_status, pause]).toEqual(["UNAVAILABLE", Math.min(HOUR, 2 ** (failures - 1))]);
      tokens.clock.now += pause;
    }
    tokens.answer = named("At last");
    await tokens.untilAll(({ name }) => name === "At last", "the name");
  });

  it("does not delay other contracts or blocks, if the call never ends", async () => {
    await using database = await createTestDatabase();
    const chain = syntheticChain("tokens", 60, (number) => (number > 0 ? { token: addressOf(number) } : {}));
    await using node = await startScriptedNode((requests): ScriptedAnswer | null => {
      const answers = requests.map((call) => answerOf(call, chain));
      if (answers.includes(null)) return null;
      const bodies = answers.map((answer, i) => ({ jsonrpc: "2.0", id: requests[i]?.id, ...answer }));
      return { body: bodies.length === 1 ? bodies[0] : bodies };
    });
    const indexing = { requestTimeoutMs: 200 };
    await using _indexing = await startIndexing({ chainId: CHAIN, nodeUrl: node.url, database, indexing });
    const indexed = "SELECT address, name FROM erc20_tokens WHERE metadata_status = 'INDEXED' ORDER BY address";
    const look = async () => (await database.pool.query<{ address: Buffer; name: string }>(indexed)).rows;
    const rows = await until(look, ({ length }) => length >= 58, "58 tokens");
    const { rows: heads } = await database.pool.query("SELECT block_number FROM chain_heads");
    expect(heads).toEqual([{ block_number: "59" }]);
    expect(rows.map(({ address }) => address.readUInt32BE(16))).not.toContain(7);
  });
});

/** The answers of a node with a chain whose contract 7 never ends. */
function answerOf(call: ScriptedCall, chain: ReturnType<typeof syntheticChain>): NodeAnswer | null {
  const { method, params } = call;
  if (method === "eth_call") return called(call, (token, name) => (token === 7 ? null : named("Token")(token, name)));
  if (method.startsWith("debug_")) return { error: { code: -32601, message: `the method ${method} does not exist` } };
  if (method === "eth_chainId") return result(`0x${CHAIN.toString(16)}`);
  const number = params[0] === "latest" ? chain.length - 1 : Number(params[0]);
  return result(chain[number]?.[method === "eth_getBlockReceipts" ? "receipts" : "block"] ?? null);
}

describe("a contract whose code fails", () => {
  it("has an answer without name, symbol and decimals: for any error of the EVM", async () => {
    await using tokens = await open(CONTRACT_ERRORS.length, (token) => ({
      error: CONTRACT_ERRORS[token - 1] as CallErrorAnswer,
    }));
    await using _indexer = tokens.start();
    const rows = await tokens.untilAll((row) => row.metadata_status !== "PENDING", "all to be called");
    for (const [i, error] of CONTRACT_ERRORS.entries()) {
      const { metadata_status, name, decimals, answers } = rows[i] as Row;
      const stored = JSON.stringify(Array.from({ length: 3 }, () => ({ error: error.message })));
      expect([error, metadata_status, name, decimals, answers]).toEqual([error, "INDEXED", "", 0, stored]);
    }
    expect(tokens.calls).toBe(3 * CONTRACT_ERRORS.length);
  });
});

describe("a contract without name and symbol", () => {
  it.each([
    ["fails", REVERTED],
    ["returns nothing", result("0x")],
    ["returns empty texts", result(text(""))],
  ])(
    "is called again after growing pauses, because it may be a proxy that is initialised later: it %s",
    async (_, empty) => {
      await using tokens = await open(1, () => empty);
      await using _indexer = tokens.start();
      const pauses = [HOUR, 4 * HOUR, 16 * HOUR, 64 * HOUR, 256 * HOUR, 30 * DAY, 30 * DAY];
      for (const [i, expected] of pauses.entries()) {
        const [row] = await tokens.untilAll(({ empty_answers }) => empty_answers === i + 1, `empty answer ${i + 1}`);
        expect([row?.metadata_status, Number(row?.next_attempt_at) - tokens.clock.now]).toEqual(["INDEXED", expected]);
        tokens.clock.now += expected;
      }
      tokens.answer = named("Proxy");
      const [row] = await tokens.untilAll(({ name }) => name === "Proxy", "the name");
      expect(row).toMatchObject({ symbol: "Pro", decimals: 18, empty_answers: 0, next_attempt_at: null });
    },
  );

  it("keeps that answer while the node cannot call it", async () => {
    await using tokens = await open(1, () => REVERTED);
    await using _indexer = tokens.start();
    await tokens.untilAll(isIndexed, "the answer");
    tokens.answer = () => INTERNAL;
    tokens.clock.now += HOUR;
    const [row] = await tokens.untilAll(({ node_failures }) => node_failures === 1, "a failure");
    expect(row).toMatchObject({ metadata_status: "INDEXED", empty_answers: 1, answers: expect.stringContaining("no") });
  });

  it("is not called again if it has a name or a symbol", async () => {
    await using tokens = await open(2, (token, method) =>
      method === (token === 1 ? "name" : "symbol") ? result(text("X")) : REVERTED,
    );
    await using _indexer = tokens.start();
    for (const row of await tokens.untilAll(isIndexed, "the answers")) expect(row.next_attempt_at).toBeNull();
  });
});

describe.each(["erc20_tokens", "nft_contracts"])("a contract of %s that was read", (table) => {
  it("is read again on request: one contract, all of them, or those without name and symbol", async () => {
    await using tokens = await open(
      3,
      (token, method) => (token === 3 ? REVERTED : named("Old")(token, method)),
      table,
    );
    await using _indexer = tokens.start();
    await tokens.untilAll(isIndexed, "the first answers");
    tokens.answer = named("New");
    tokens.clock.now += 600;
    const namesAfter = async (count: number, filter: Parameters<typeof requeueContracts>[2]) => {
      expect(await tokens.writer.transaction((session) => requeueContracts(session, String(CHAIN), filter))).toBe(
        count,
      );
      const rows = await tokens.untilAll((row) => row.next_attempt_at === null || row.empty_answers > 0, "the answers");
      return rows.map(({ name }) => name);
    };
    const address = `0x${addressOf(2)}`;
    expect(await namesAfter(0, { address: `0x${"f".repeat(40)}`, onlyFailed: false })).toEqual(["Old", "Old", ""]);
    expect(await namesAfter(0, { address, onlyFailed: true })).toEqual(["Old", "Old", ""]);
    expect(await namesAfter(1, { address, onlyFailed: false })).toEqual(["Old", "New", ""]);
    await tokens.writer.transaction((session) => requeueContracts(session, String(CHAIN), { onlyFailed: true }));
    await until(tokens.rows, (rows) => rows[2]?.name === "New", "the contract without a name");
    expect((await tokens.rows()).map(({ name }) => name)).toEqual(["Old", "New", "New"]);
    await tokens.writer.transaction((session) => requeueContracts(session, String(CHAIN), { onlyFailed: false }));
    const rows = await tokens.untilAll(({ name }) => name === "New", "all");
    for (const { answers } of rows) expect(answers).toContain(Buffer.from("New").toString("hex"));
  });

  it("keeps its name while the node cannot call it again", async () => {
    await using tokens = await open(1, named("Old"), table);
    await using _indexer = tokens.start();
    await tokens.untilAll(isIndexed, "the first answer");
    tokens.answer = () => INTERNAL;
    tokens.clock.now += 600;
    await tokens.writer.transaction((session) => requeueContracts(session, String(CHAIN), { onlyFailed: false }));
    const [row] = await tokens.untilAll(({ node_failures }) => node_failures > 0, "a failure");
    expect(row).toMatchObject({ metadata_status: "INDEXED", name: "Old" });
    expect(row?.answers).toContain(Buffer.from("Old").toString("hex"));
  });

  it("is not called for a replay", async () => {
    await using tokens = await open(
      2,
      (token, method) => (token === 2 ? REVERTED : named("Stored")(token, method)),
      table,
    );
    await using _indexer = tokens.start();
    const before = await tokens.untilAll(isIndexed, "the answers");
    const { calls } = tokens;
    await tokens.query(`UPDATE ${table} SET metadata_status = 'PENDING', name = ''`);
    expect(await tokens.untilAll(isIndexed, "the stored answers")).toEqual(before);
    expect(tokens.calls).toBe(calls);
  });

  it("is called after its first block was removed and appeared again", async () => {
    await using tokens = await open(2, named("Before"), table);
    await using _indexer = tokens.start();
    await tokens.untilAll(isIndexed, "the answers");
    tokens.answer = named("After");
    await tokens.writer.transaction((session) => deleteContractAnswers(session, String(CHAIN), 1));
    await tokens.query(`UPDATE ${table} SET metadata_status = 'PENDING', name = ''`);
    const rows = await tokens.untilAll(isIndexed, "the new answers");
    expect(rows.map(({ name }) => name)).toEqual(["Before", "After"]);
  });
});
