import { testConfig } from "../test/support/config.ts";
import { createTestDatabase } from "../test/support/database/database.ts";
import { until } from "../test/support/indexed/indexing.ts";
import { createLogLines } from "../test/support/log-lines.ts";
import { type ScriptedAnswer, type ScriptedCall, startScriptedNode } from "../test/support/node/scripted-node.ts";
import { startIndexer } from "./indexer.ts";

const CHAIN = 43_113;
const SECRETS = ["pass-word", "key-in-path", "query-token", "header-token"];

const error = ({ id }: ScriptedCall, message: string, code = -32000) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});
const answerTo = (calls: readonly ScriptedCall[], answers: readonly unknown[]) => ({
  body: calls.length === 1 ? answers[0] : answers,
});
const result = ({ id }: ScriptedCall, value: unknown) => ({ jsonrpc: "2.0", id, result: value });

type Repeat = (calls: readonly ScriptedCall[], words: string) => ScriptedAnswer;

describe("secrets of a node's URL and headers reach neither the database nor the log", () => {
  it.each<[what: string, repeat: Repeat]>([
    [
      "errors of every method",
      (calls, words) =>
        answerTo(
          calls,
          calls.map((call) => error(call, words)),
        ),
    ],
    [
      "errors for a rate limit",
      (calls, words) =>
        answerTo(
          calls,
          calls.map((call) => error(call, words, -32005)),
        ),
    ],
    ["a body that is not JSON", (_calls, words) => ({ body: words })],
    [
      "the chain id",
      (calls, words) =>
        answerTo(
          calls,
          calls.map((call) => result(call, words)),
        ),
    ],
    [
      "the fields of a block",
      (calls, words) =>
        answerTo(
          calls,
          calls.map((call) =>
            result(call, call.method === "eth_chainId" ? "0xa869" : { number: words, hash: words, parentHash: words }),
          ),
        ),
    ],
    [
      "the error of the debug API, and of a block",
      (calls, words) =>
        answerTo(
          calls,
          calls.map((call) => (call.method === "eth_chainId" ? result(call, "0xa869") : error(call, words))),
        ),
    ],
  ])("if the node repeats them in %s", async (_what, repeat) => {
    let words = "";
    await using node = await startScriptedNode((calls) => repeat(calls, words));
    const { host } = new URL(node.url);
    const nodeUrl = `http://user:pass-word@${host}/key-in-path/rpc?token=query-token`;
    words = `POST ${nodeUrl} (Bearer header-token) of /key-in-path/rpc: ${SECRETS.join(" ")}`;
    const nodeHeaders = { authorization: "Bearer header-token" };
    const config = testConfig({
      evmChains: [{ chainId: CHAIN, network: "fuji", nodeUrl, nodeHeaders, chainName: "a chain" }],
      indexing: { pollIntervalMs: 20, requestTimeoutMs: 1_000 },
    });
    const { logger, lines } = createLogLines("trace");
    await using database = await createTestDatabase();
    {
      await using _indexer = startIndexer(config, database.url, logger);
      const reasonOf = async () =>
        (await database.pool.query<{ reason: string | null }>("SELECT reason FROM chain_progress")).rows[0]?.reason;
      await until(reasonOf, (reason) => typeof reason === "string", "a reason");
    }
    const { rows } = await database.pool.query(
      "SELECT (SELECT json_agg(p) FROM chain_progress p) AS progress, (SELECT json_agg(c) FROM chain_capabilities c) AS capabilities",
    );
    expect(lines.length).toBeGreaterThan(0);
    for (const secret of SECRETS) expect(JSON.stringify([rows, lines])).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(host);
  });

  it("if one of several nodes repeats them", async () => {
    let words = "";
    await using node = await startScriptedNode((calls) =>
      answerTo(
        calls,
        calls.map((call) => error(call, words)),
      ),
    );
    const { host } = new URL(node.url);
    const url = `http://user:pass-word@${host}/key-in-path/rpc?token=query-token`;
    words = `POST ${url} (Bearer header-token) of /key-in-path/rpc: ${SECRETS.join(" ")}`;
    const headers = { authorization: "Bearer header-token" };
    const nodeUrls = ["", "&other"].map((end) => ({ url: url + end, headers }));
    const config = testConfig({
      evmChains: [{ chainId: CHAIN, network: "fuji", nodeUrls, chainName: "a chain" }],
      indexing: { pollIntervalMs: 20, requestTimeoutMs: 1_000 },
    });
    const { logger, lines } = createLogLines("trace");
    await using database = await createTestDatabase();
    {
      await using _indexer = startIndexer(config, database.url, logger);
      const read = async () =>
        (await database.pool.query<{ text: string }>("SELECT row_to_json(p)::text AS text FROM chain_progress p"))
          .rows[0];
      await until(read, (row) => /no node can be used/.test(row?.text ?? ""), "a reason");
      const { text = "" } = (await read()) ?? {};
      expect(text).toMatch(/node 1: .*node 2: /);
      for (const secret of [...SECRETS, host]) expect(text).not.toContain(secret);
    }
    for (const secret of SECRETS) expect(JSON.stringify(lines)).not.toContain(secret);
  });
});
