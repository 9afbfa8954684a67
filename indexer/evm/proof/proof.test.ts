import { createLogger } from "../../../core/observability/logger.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { C_CHAIN, type CommandChain, startCommandChain } from "../../../test/support/indexed/command-chain.ts";
import { indexedAlpha } from "../../../test/support/indexed/indexed.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { createLogLines } from "../../../test/support/log-lines.ts";
import { FAULTS, type Fault } from "../../../test/support/node/faults.ts";
import { failure } from "../../../test/support/node/rpc-answers.ts";
import { startIndexer } from "../../indexer.ts";
import { createMaintenanceSession } from "../../shared/maintenance-session.ts";
import { createNodeClient } from "../../shared/node/node-client.ts";
import type { ProgressState } from "../../shared/progress.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { findGaps } from "../commands/gaps/find-gaps.ts";
import type { Gap } from "../compare/gap.ts";
import { chainRules } from "../decode/chain-rules.ts";
import { createEvmSource } from "../fetch/source.ts";
import { appendEntries, lastSeq } from "../raw-blocks/entries.ts";
import { indexedBlock } from "../store/head.ts";
import { clearRows, rollBack } from "../store/roll-back.ts";
import { createProof, type ProofDeps } from "./proof.ts";

const CHAIN = String(C_CHAIN);
let chain: CommandChain;
let database: TestDatabase;
let writer: Writer;
let head: number;
beforeAll(async () => {
  chain = await startCommandChain();
  database = await indexedAlpha();
  writer = (await tryBecomeWriter(database.url, CHAIN)) as Writer;
  head = chain.whole.head;
});
afterEach(async () => {
  await chain.faulty.heal();
  await database.pool.query("DELETE FROM chain_verifications");
});
afterAll(async () => {
  await writer[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await chain[Symbol.asyncDispose]();
});

interface Proven {
  readonly progress: Partial<ProgressState>;
  readonly lines: Record<string, unknown>[];
}

/** A number for which a random run of the first comparison, or of a later one, begins with this block. */
const atBlock = (number: number): number => (number + 0.5) / (head - 6);

/** Chooses a run of blocks, and then other things in a fixed order that differs from the given one. */
function runAt(number: number): () => number {
  let calls = 0;
  return () => (calls++ === 0 ? atBlock(number) : (calls * 0.37) % 1);
}

/** Makes the next comparison include these things, as if they had differed in the last one. */
async function repeat(repeated: object): Promise<void> {
  await database.pool.query("INSERT INTO chain_verifications VALUES ($1, NULL, 0, 0, 0, $2, NULL)", [
    C_CHAIN,
    JSON.stringify(repeated),
  ]);
}

type Changes = Partial<ProofDeps & Pick<ReturnType<ProofDeps["contractNode"]>, "source">>;

/** A proof of the chain, and how to run it once. */
function openProof({ source, ...changes }: Changes = {}) {
  const config = chain.chainConfig();
  const stop = new AbortController();
  const options = { requestTimeoutMs: 5_000, maxConcurrency: 4, maxBatchSize: 50, headers: {} };
  const node = createNodeClient({ ...options, url: String(config.nodeUrl), signal: stop.signal });
  const session = createMaintenanceSession({ url: database.url });
  const { logger, lines } = createLogLines("warn");
  let progress: Partial<ProgressState> | null = null;
  let timeMs = 0;
  const proof = createProof({
    session,
    rules: chainRules(config),
    writer,
    contractNode: () => ({ node, source: source ?? createEvmSource(node, "off") }),
    progress: {
      update(change) {
        progress = change;
      },
    },
    logger,
    everyBlocks: 1_000,
    signal: stop.signal,
    nowMs: () => timeMs,
    pauseMs: 1,
    ...changes,
  });
  return {
    proof,
    lines,
    async run(): Promise<Proven> {
      progress = null;
      lines.length = 0;
      timeMs += 3_600_000;
      proof.atHead();
      await until(
        async () => progress !== null || lines.length > 0,
        (it) => it,
        "the proof to end",
        5,
      );
      return { progress: progress ?? {}, lines: [...lines] };
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await proof[Symbol.asyncDispose]();
      await session[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

async function proveOnce(changes: Partial<ProofDeps> = {}): Promise<Proven> {
  await using opened = openProof(changes);
  return await opened.run();
}

interface Verification {
  readonly block_number: string | null;
  readonly checked_count: string;
  readonly differing_count: string;
  readonly last_difference: string | null;
}

async function verification(): Promise<Verification | undefined> {
  return (await database.pool.query<Verification>("SELECT * FROM chain_verifications WHERE chain_id = $1", [C_CHAIN]))
    .rows[0];
}

/** The places of differences, as `table block`. Tables without a block have the key of the difference. */
const placesOf = ({ lines }: Proven) => lines.map(({ table, key }) => ({ table, key }));

/** What one comparison may send to PostgreSQL, for three runs of blocks. */
const MAX_STATEMENTS = 110;

describe("a comparison of samples with the stored blocks and the node", () => {
  it("finds no difference in a chain that is indexed correctly, and proves it up to its head", async () => {
    for (let number = 0; number < head - 8; number += 20) {
      const { progress, lines } = await proveOnce({ random: () => atBlock(number) });
      expect({ progress, lines }).toEqual({ progress: { verifiedBlockNumber: head, differingCount: 0 }, lines: [] });
      await database.pool.query("DELETE FROM chain_verifications");
    }
    const before = Math.floor(Date.now() / 1_000);
    await proveOnce();
    expect(await verification()).toMatchObject({
      block_number: String(head),
      differing_count: "0",
      last_difference: null,
    });
    const { rows } = await database.pool.query("SELECT verified_at >= $1 AS is_new FROM chain_verifications", [before]);
    expect(rows).toEqual([{ is_new: true }]);
    expect(Number((await verification())?.checked_count)).toBeGreaterThan(12);
  });

  it("compares balances of tokens with the node", async () => {
    const counts: number[] = [];
    for (const wrongAnswers of [[], [FAULTS.methodMissing("eth_call")]]) {
      chain.faulty.faults.wrongAnswers = wrongAnswers;
      await proveOnce({ random: runAt(29) });
      counts.push(Number((await verification())?.checked_count));
      await database.pool.query("DELETE FROM chain_verifications");
    }
    // Ten balances, and the owners of some NFTs.
    expect((counts[0] ?? 0) - (counts[1] ?? 0)).toBeGreaterThanOrEqual(10);
  });

  it("sends a limited number of statements", async () => {
    await proveOnce();
    await database.pool.query("UPDATE chain_verifications SET block_number = 100");
    await using opened = openProof();
    const statements = await statementsOf(() => opened.run());
    expect(statements.length).toBeLessThanOrEqual(MAX_STATEMENTS);
  });
});

type DerivedTable = Exclude<Gap["table"], "raw_blocks" | "raw_traces">;

/** A change of one row of each table that is compared. A table without a change does not compile. */
const CHANGES: Readonly<Record<DerivedTable, string>> = {
  evm_blocks: "fees_spent = fees_spent + 1",
  evm_transactions: "nonce = nonce + 1",
  evm_logs: "data = data || '\\x00'",
  erc20_transfers: "value = value + 7",
  erc721_transfers: "token_id = token_id + 1",
  erc1155_transfers: "value = value + 1",
  icm_events: "required_gas_limit = coalesce(required_gas_limit, 0) + 1",
  evm_ext_data: "ext_data = ext_data || '\\x00'",
  evm_internal_transactions: "is_reverted = NOT is_reverted",
  evm_failures: "error = error || '!'",
  evm_deployments: "opcode = 'CREATE3'",
  evm_proxy_upgrades: "kind = 'BEACON'",
  erc20_balances: "balance = balance + 7",
  erc20_tokens: "first_block_number = first_block_number + 1",
  nft_contracts: "first_block_number = first_block_number + 1",
  nft_items: "first_block_number = first_block_number + 1",
  erc20_holders: "max_balance = max_balance + 1",
  erc20_supplies: "holder_count = holder_count + 1",
  erc20_counts: "transfer_count = transfer_count + 1",
  nft_holdings: "balance = balance + 1",
  nft_holders: "balance = balance + 1",
  nft_supplies: "total_supply = total_supply - 1",
  nft_counts: "holder_count = holder_count + 1",
  nft_item_balances: "balance = balance + 1",
  nft_collection_balances: "balance = balance - 1",
  erc1155_supplies: "total_supply = total_supply + 1",
  icm_messages: "fee_amount = coalesce(fee_amount, 0) + 77",
};

/** The block whose sample has the rows of a table: that of the row, or else the first one with the token of the row. */
function blockOf(table: DerivedTable): string {
  if (table === "icm_messages")
    return "(SELECT min(e.block_number) FROM icm_events e WHERE e.chain_id = $1 AND e.message_id = t.message_id)";
  if (/_(tokens|contracts|items)$/.test(table)) return "t.first_block_number";
  if (/^(erc20_(holders|supplies|counts)|nft_|erc1155_supplies)/.test(table)) {
    const contracts = table.startsWith("erc20_") ? "erc20_tokens" : "nft_contracts";
    return `(SELECT first_block_number FROM ${contracts} c WHERE c.chain_id = $1 AND c.address = t.token_address)`;
  }
  return "t.block_number";
}

/** Changes one row, runs `task` with the block in whose sample it is, and restores the row. */
async function withChangedRow(
  table: DerivedTable,
  task: (block: number, token: string | null) => Promise<void>,
): Promise<void> {
  const { pool } = database;
  const name = table === "icm_messages" ? table : `${table}_${CHAIN}`;
  const { rows } = await pool.query<{ ctid: string; row: { readonly token_address?: string }; block: string }>(
    `SELECT t.ctid::text AS ctid, to_jsonb(t) AS row, ${blockOf(table)} AS block FROM ${name} t
     WHERE $1::bigint IS NOT NULL AND ${blockOf(table)} BETWEEN 1 AND $2 ORDER BY ${blockOf(table)}, t.ctid LIMIT 1`,
    [C_CHAIN, head - 8],
  );
  const [row] = rows;
  if (!row) throw new Error(`${table} has no row`);
  const changed = await pool.query<{ ctid: string }>(
    `UPDATE ${name} SET ${CHANGES[table]} WHERE ctid = $1::tid RETURNING ctid::text AS ctid`,
    [row.ctid],
  );
  try {
    await task(Number(row.block), row.row.token_address?.slice(2) ?? null);
  } finally {
    await pool.query(`DELETE FROM ${name} WHERE ctid = $1::tid`, [changed.rows[0]?.ctid]);
    await pool.query(`INSERT INTO ${name} SELECT (jsonb_populate_record(NULL::${name}, to_jsonb($1::json))).*`, [
      JSON.stringify(row.row),
    ]);
  }
}

describe("a wrong row", () => {
  it.each(Object.keys(CHANGES) as DerivedTable[])("of %s is found, and nothing else", async (table) => {
    await withChangedRow(table, async (block, token) => {
      // A block can have more tokens than a sample.
      if (token !== null) await repeat({ tokens: [token] });
      const found = await proveOnce({ random: () => atBlock(block) });
      expect(placesOf(found)).toEqual([{ table, key: expect.any(String) }]);
      expect(found.progress).toEqual({ verifiedBlockNumber: null, differingCount: 1 });
      const stored = await verification();
      expect(stored).toMatchObject({ block_number: null, differing_count: "1" });
      expect(JSON.parse(stored?.last_difference ?? "")).toMatchObject({ table, key: found.lines[0]?.["key"] });
    });
  });

  it("is described by its key and the values that differ", async () => {
    await withChangedRow("evm_transactions", async (block) => {
      const { lines } = await proveOnce({ random: () => atBlock(block) });
      expect(lines).toEqual([
        {
          level: 50,
          chainId: CHAIN,
          table: "evm_transactions",
          key: expect.stringContaining(`block_number=${block}`),
          indexed: expect.stringMatching(/^nonce=\d+$/),
          expected: expect.stringMatching(/^nonce=\d+$/),
          msg: expect.stringMatching(/^an indexed row of evm_transactions differs from what the stored data give/),
        },
      ]);
      expect(lines[0]?.["indexed"]).not.toBe(lines[0]?.["expected"]);
    });
  });

  it("is compared again by each later comparison until it is right, and logged once", async () => {
    await using opened = openProof({ random: () => 0 });
    await opened.run();
    await withChangedRow("erc721_transfers", async (block) => {
      await using other = openProof({ random: () => atBlock(block) });
      expect((await other.run()).progress).toEqual({ verifiedBlockNumber: head, differingCount: 1 });
      for (let again = 0; again < 2; again++) {
        const { progress, lines } = await opened.run();
        expect({ progress, logged: lines.length }).toEqual({
          progress: { verifiedBlockNumber: head, differingCount: 1 },
          logged: again === 0 ? 1 : 0,
        });
      }
    });
    expect(await opened.run()).toEqual({ progress: { verifiedBlockNumber: head, differingCount: 0 }, lines: [] });
    expect((await verification())?.last_difference).toContain("erc721_transfers");
  });

  it.each([
    "payload = set_byte(payload, 20, 255 - get_byte(payload, 20))",
    "parent_hash = sha256(parent_hash)",
    "payload = NULL",
  ])("of the stored blocks is found (%s)", async (change) => {
    const { rows } = await database.pool.query<{ seq: string; payload: Buffer; parent_hash: Buffer }>(
      "SELECT seq, payload, parent_hash FROM raw_blocks WHERE chain_id = $1 AND block_number = 40",
      [C_CHAIN],
    );
    await database.pool.query(`UPDATE raw_blocks SET ${change} WHERE chain_id = $1 AND block_number = 40`, [C_CHAIN]);
    const found = await proveOnce({ random: () => atBlock(39) });
    await database.pool.query("UPDATE raw_blocks SET payload = $3, parent_hash = $4 WHERE chain_id = $1 AND seq = $2", [
      C_CHAIN,
      rows[0]?.seq,
      rows[0]?.payload,
      rows[0]?.parent_hash,
    ]);
    expect(placesOf(found)).toEqual([{ table: "raw_blocks", key: "block_number=40" }]);
  });

  it("is found again after `moraine gaps` has not repaired it, and not after it has", async () => {
    await using command = chain.commandOn(database);
    await database.pool.query("DELETE FROM erc20_transfers WHERE chain_id = $1 AND block_number = 60", [C_CHAIN]);
    const { rowCount } = await database.pool.query(
      "DELETE FROM evm_transactions WHERE chain_id = $1 AND block_number = 60",
      [C_CHAIN],
    );
    expect(rowCount).toBeGreaterThan(0);
    await using opened = openProof({ random: () => atBlock(60) });
    const differing = (await opened.run()).progress.differingCount;
    expect(differing).toBeGreaterThan(0);
    await findGaps(command, false);
    expect((await opened.run()).progress.differingCount).toBe(differing);
    await writer[Symbol.asyncDispose]();
    await findGaps(command, true);
    writer = (await tryBecomeWriter(database.url, CHAIN)) as Writer;
    const after = openProof({ random: () => 0 });
    expect((await after.run()).progress).toEqual({ verifiedBlockNumber: head, differingCount: 0 });
    await after[Symbol.asyncDispose]();
  });
});

const NOWHERE = `0x${"bad0".repeat(16)}`;
const otherHash = (height: number): Fault => ({
  answer: (method, [block], answer) =>
    method === "eth_getBlockByNumber" && Number(block) === height && "result" in answer
      ? { result: { ...(answer.result as object), hash: NOWHERE } }
      : answer,
});
const word = (value: string): string => `0x${value.padStart(64, "0")}`;
const answersCalls = (value: string): Fault => ({
  answer: (method, _params, answer) => (method === "eth_call" ? { result: word(value) } : answer),
});

describe("the node", () => {
  it("with another block at a compared height is a difference that names the block", async () => {
    chain.faulty.faults.wrongAnswers = [otherHash(43)];
    const found = await proveOnce({ random: () => atBlock(40) });
    expect(found.progress).toEqual({ verifiedBlockNumber: null, differingCount: 1 });
    expect(found.lines).toMatchObject([
      {
        table: "evm_blocks",
        key: "block_number=43",
        expected: `block_hash=${NOWHERE}`,
        msg: "an indexed value of evm_blocks differs from the node (block_number=43)",
      },
    ]);
    // Without an answer of the node, nothing shows that the block is right now.
    chain.faulty.faults.wrongAnswers = [FAULTS.methodMissing("eth_getBlockByNumber")];
    expect((await proveOnce({ random: () => 0 })).progress.differingCount).toBe(1);
    chain.faulty.faults.wrongAnswers = [];
    expect((await proveOnce({ random: () => 0 })).progress).toEqual({ verifiedBlockNumber: head, differingCount: 0 });
  });

  it("that returns another block only once is no difference", async () => {
    let answers = 0;
    const once: Fault = {
      answer: (method, [block], answer) =>
        method === "eth_getBlockByNumber" && Number(block) === 43 && answers++ === 0
          ? otherHash(43).answer(method, [block], answer, "")
          : answer,
    };
    chain.faulty.faults.wrongAnswers = [once];
    expect((await proveOnce({ random: () => atBlock(40) })).progress.differingCount).toBe(0);
    expect(answers).toBeGreaterThan(1);
  });

  it.each<[what: string, faults: readonly Fault[]]>([
    [
      "has no state",
      [{ answer: (m, _p, answer) => (m === "eth_call" ? failure(-32000, "missing trie node") : answer) }],
    ],
    ["has pruned all blocks", [FAULTS.pruned(1_000)]],
    ["refuses all methods", [FAULTS.methodMissing("eth_call"), FAULTS.methodMissing("eth_getBlockByNumber")]],
    ["answers calls with nothing", [{ answer: (m, _p, answer) => (m === "eth_call" ? { result: "0x" } : answer) }]],
  ])("that %s is not compared", async (_what, faults) => {
    chain.faulty.faults.wrongAnswers = faults;
    const { progress, lines } = await proveOnce({ random: () => 0.3 });
    expect({ progress, lines }).toEqual({ progress: { verifiedBlockNumber: head, differingCount: 0 }, lines: [] });
  });

  it("that is down is not compared", async () => {
    await chain.faulty.down();
    expect((await proveOnce({ random: () => 0.3 })).progress).toEqual({ verifiedBlockNumber: head, differingCount: 0 });
  });

  it("may return other balances and owners than the events give: contracts change them without events", async () => {
    chain.faulty.faults.wrongAnswers = [answersCalls("7")];
    expect((await proveOnce({ random: () => 0.3 })).progress.differingCount).toBe(0);
  });

  /** A holder whose balance a block changes, which the next comparison includes. */
  async function someHolder() {
    const { rows } = await database.pool.query<{
      holder_id: number;
      token: string;
      address: string;
      block_number: number;
    }>(
      `SELECT b.holder_id, encode(h.token_address, 'hex') AS token, encode(h.address, 'hex') AS address, b.block_number
       FROM erc20_balances b JOIN erc20_holders h USING (chain_id, holder_id)
       WHERE chain_id = $1 AND b.block_number BETWEEN 10 AND $2 ORDER BY b.block_number LIMIT 1`,
      [C_CHAIN, head - 8],
    );
    const [holder] = rows;
    if (!holder) throw new Error("no holder");
    const { token, address } = holder;
    await repeat({ holders: [{ token, address }] });
    return holder;
  }

  it("shows a balance that all tables have wrong, because it is not what the transfers give either", async () => {
    const { holder_id, block_number } = await someHolder();
    // An error before the compared blocks, which every later balance contains.
    const shift = (amount: number) =>
      Promise.all([
        database.pool.query(
          `UPDATE erc20_balances SET balance = balance + ${amount} WHERE chain_id = $1 AND holder_id = $2`,
          [C_CHAIN, holder_id],
        ),
        database.pool.query(
          `UPDATE erc20_holders SET balance = balance + ${amount} WHERE chain_id = $1 AND holder_id = $2`,
          [C_CHAIN, holder_id],
        ),
      ]);
    await shift(7);
    const found = await proveOnce({ random: () => atBlock(block_number) });
    await shift(-7);
    const onNode = found.lines.filter(({ msg }) => /differs from the node/.test(String(msg)));
    const balance = expect.stringMatching(/^balance=/);
    expect(onNode).toMatchObject([{ table: "erc20_holders", indexed: balance, expected: balance }]);
  });

  it("is right about the balances of a token that wraps the native token", async () => {
    const { token, block_number } = await someHolder();
    const rules = chainRules(chain.chainConfig());
    chain.faulty.faults.wrongAnswers = [answersCalls("7")];
    const wrapped = { ...rules, wrappedNativeTokens: new Set([...rules.wrappedNativeTokens, token]) };
    const found = await proveOnce({ random: () => atBlock(block_number), rules: wrapped });
    expect(found.progress.differingCount).toBeGreaterThan(0);
    expect(found.lines.every(({ key }) => String(key).startsWith(`token_address=0x${token}`))).toBe(true);
  });
});

describe("a proof", () => {
  it("is due after the given number of blocks, at the head, and ten minutes later", async () => {
    let timeMs = 0;
    const begun: number[] = [];
    const counting: ProofDeps["session"] = {
      run: async () => {
        begun.push(timeMs);
        return null as never;
      },
      cancel: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
    await using opened = openProof({ session: counting, nowMs: () => timeMs, everyBlocks: 100 });
    const { proof } = opened;
    const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
    const countAfter = async (call: () => void): Promise<number> => {
      call();
      await settled();
      return begun.length;
    };
    expect(await countAfter(() => proof.afterBlocks(1_000))).toBe(0);
    expect(await countAfter(() => proof.afterBlocks(1_099))).toBe(0);
    expect(await countAfter(() => proof.afterBlocks(1_100))).toBe(1);
    expect(await countAfter(() => proof.afterBlocks(1_199))).toBe(1);
    expect(await countAfter(() => proof.afterBlocks(1_200))).toBe(2);
    // After a rollback, the blocks count from its end.
    expect(await countAfter(() => proof.afterBlocks(1_150))).toBe(2);
    expect(await countAfter(() => proof.afterBlocks(1_250))).toBe(3);
    // The blocks since the last comparison count, too, when the head is reached.
    expect(await countAfter(() => proof.atHead())).toBe(4);
    expect(await countAfter(() => proof.atHead())).toBe(4);
    timeMs += 10 * 60_000;
    expect(await countAfter(() => proof.atHead())).toBe(5);
    expect(await countAfter(() => proof.atHead())).toBe(5);
    await using off = openProof({ session: counting, everyBlocks: 0 });
    expect(await countAfter(() => off.proof.afterBlocks(0))).toBe(5);
    expect(await countAfter(() => off.proof.atHead())).toBe(5);
  });

  it("that ends before its result is stored leaves the previous result", async () => {
    await proveOnce({ random: () => 0 });
    const before = await verification();
    chain.faulty.faults.delayMs = 3_000;
    chain.faulty.traffic.reset();
    const opened = openProof({ random: () => 0.9 });
    opened.proof.atHead();
    await until(
      async () => chain.faulty.traffic.requests,
      (it) => it > 0,
      "a request to the node",
      5,
    );
    await opened[Symbol.asyncDispose]();
    expect(opened.lines).toEqual([]);
    expect(await verification()).toEqual(before);
  });

  it("never reaches above the head after a rollback, and begins again after a replay", async () => {
    await proveOnce();
    const undone = new Error("undone");
    const seen: unknown[] = [];
    await writer
      .transaction(async (session) => {
        const text = "SELECT block_number FROM chain_verifications WHERE chain_id = $1";
        const block = await indexedBlock(session, CHAIN, head - 20);
        const seq = (await lastSeq(session, CHAIN)) + 1;
        const entry = {
          seq,
          blockNumber: head - 20,
          blockHash: block?.hash ?? "",
          parentHash: block?.parentHash ?? "",
          payload: null,
        };
        await appendEntries(session, CHAIN, [entry]);
        await rollBack(session, CHAIN, entry);
        seen.push(await session.query(text, [CHAIN]));
        await clearRows(session, CHAIN);
        seen.push(await session.query(text, [CHAIN]));
        throw undone;
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    expect(seen).toEqual([[{ block_number: String(head - 20) }], []]);
  });

  it("is not stored if the compared block is rolled back before the node has answered", async () => {
    const { pool } = database;
    const where = `WHERE chain_id = ${C_CHAIN} AND block_number = ${head}`;
    const { rows } = await pool.query<{ block_hash: Buffer }>(`SELECT block_hash FROM evm_blocks ${where}`);
    let ended = 0;
    await using opened = openProof({
      source: {
        async blockRef() {
          await pool.query(`UPDATE evm_blocks SET block_hash = '\\x00' ${where}`);
          return null;
        },
      },
      writer: { transaction: (task) => writer.transaction(task).finally(() => ended++) },
    });
    opened.proof.atHead();
    await until(
      async () => ended,
      (it) => it > 0,
      "the end of the proof",
      5,
    );
    await pool.query(`UPDATE evm_blocks SET block_hash = $1 ${where}`, [rows[0]?.block_hash]);
    expect(await verification()).toBeUndefined();
  });

  it("is made by the indexer while it indexes and at the head", async () => {
    await using own = await createTestDatabase();
    const indexing = {
      pollIntervalMs: 20,
      standbyPollMs: 50,
      requestTimeoutMs: 5_000,
      batchBlocks: 20,
      proofEveryBlocks: 20,
    };
    const config = testConfig({ evmChains: [chain.chainConfig()], indexing });
    await using _indexer = startIndexer(config, own.url, createLogger("silent"));
    const stored = async () =>
      (
        await own.pool.query("SELECT block_number, differing_count FROM chain_verifications WHERE chain_id = $1", [
          C_CHAIN,
        ])
      ).rows[0];
    await until(stored, (it) => it?.block_number === String(head), "the proof at the head");
    expect(await stored()).toEqual({ block_number: String(head), differing_count: "0" });
  });
});
