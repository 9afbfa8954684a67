import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient } from "graphql-ws";
import WebSocket from "ws";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createWork, SERVICE_WORK } from "../../core/work/work.ts";
import { createSubgraph as createOperationsSubgraph } from "../../subgraphs/operations/subgraph.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { isFullRun } from "../support/full.ts";
import { createLogLines } from "../support/log-lines.ts";
import { EVM_CHAINS, exportConfig } from "../support/operations/requests.ts";
import { COMPLETED, changeOperation } from "../support/operations/worker.ts";
import { type Served, serveGateway, serveGraph, serveOperationsSubgraph, serveSubgraph } from "./served.ts";
import { overSse, overWebSocket } from "./subscribe.ts";

const config = exportConfig({ exports: { publicUrl: "https://files.example", maxRunningPerKey: 100 } });

let database: TestDatabase;
/** Gateways of two replicas, over subgraphs in their process. */
let replicas: readonly Served[];

beforeAll(async () => {
  database = await createTestDatabase();
  replicas = [await serveGraph({ database, config }), await serveGraph({ database, config })];
});
afterAll(async () => {
  for (const replica of replicas) await replica[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

interface Answer {
  readonly data?: Record<string, never> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

async function ask(query: string, variables: object = {}, replica = replicas[0]): Promise<Answer> {
  const headers = { "content-type": "application/json", [SCHEMA_HEADER]: REST_SCHEMA };
  const body = JSON.stringify({ query, variables });
  return (await (await fetch(replica?.url ?? "", { method: "POST", headers, body })).json()) as Answer;
}

const START = `mutation ($request: TransactionExportRequest!, $key: String) {
  startTransactionExport(request: $request, idempotencyKey: $key) { operationId operationStatus }
}`;

/** The value of a root field. Fails with the answer if there is none. */
function valueIn<Value>(answer: Answer, field: string): Value {
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data[field] as unknown as Value;
}

let started = 0;
const request = () => ({
  type: "TRANSACTION_EXPORT_EVM",
  firstDate: "2023-05-01",
  endDate: "2023-05-02",
  options: { addresses: [`0x${(++started).toString(16).padStart(40, "a")}`], includeChains: ["99", "43113"] },
});

const START_WITH_TOKEN = `mutation ($request: TransactionExportRequest!) {
  startTransactionExport(request: $request) { operationId cancelToken }
}`;

/** An operation that was started without a key. */
interface Started {
  readonly operationId: string;
  readonly cancelToken: string;
}

async function startWithToken(): Promise<Started> {
  const answer = await ask(START_WITH_TOKEN, { request: request() });
  return valueIn<Updated & Started>(answer, "startTransactionExport");
}

async function start(): Promise<string> {
  return valueIn<Updated>(await ask(START, { request: request() }), "startTransactionExport").operationId;
}

const FIELDS = `operationId operationStatus progress { rows fraction } chains { chainId chainName }
  file { rowCount sha256 downloadUrl } metadata { code downloadUrl nextDate }`;
const updates = (operationId: string) =>
  `subscription { operationUpdated(operationId: "${operationId}") { ${FIELDS} } }`;

interface Event {
  readonly data?: { readonly operationUpdated?: Updated; readonly operationsUpdated?: Updated } | null;
  readonly errors?: Answer["errors"];
}

interface Updated {
  readonly operationId: string;
  readonly operationStatus: string;
  readonly progress: { readonly rows: string };
}

const CHAINS = [
  { chainId: "43113", chainName: "C-Chain" },
  { chainId: "99", chainName: "An L1" },
];

/** Ends the connections on which the replicas listen, and waits until they are gone. */
const cut = () =>
  database.pool.query(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'moraine: operations' AND datname = current_database()",
  );

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 1_000 && !isSo(); i++) await sleep(10);
  expect(isSo()).toBe(true);
}

/** A gateway over two subgraphs, each on a server of its own. */
async function serveByUrl(): Promise<Served> {
  const operations = await serveOperationsSubgraph({ database, config });
  const evm = await serveSubgraph({ database, config });
  const gateway = await serveGateway([
    { name: "evm", url: evm.url },
    { name: "operations", url: operations.url },
  ]);
  return {
    url: gateway.url,
    async [Symbol.asyncDispose]() {
      for (const part of [gateway, evm, operations]) await part[Symbol.asyncDispose]();
    },
  };
}

describe.each([
  ["graphql-ws", overWebSocket],
  ["SSE", overSse],
])("operationUpdated over %s", (_, connect) => {
  it.each(isFullRun ? ["in this process", "by URL"] : ["in this process"])(
    "sends every status in order, from the present state to the end, with fields of the evm subgraph and its own subgraph %s",
    async (where) => {
      await using parts = where === "by URL" ? await serveByUrl() : null;
      const { url } = parts ?? (replicas[1] as Served);
      const id = await start();
      const events: Event[] = [];
      const watched = (async () => {
        for await (const event of connect<Event>(url, updates(id))) events.push(event);
      })();
      await until(() => events.length === 1);
      await changeOperation(database, id, { started_at: 1, row_count: 5, total_rows: 10 });
      await until(() => events.length === 2);
      await cut();
      await changeOperation(database, id, COMPLETED);
      await watched;
      const downloadUrl = expect.stringMatching(
        `^https://files.example/v1/operations/${id}/file\\?expires=\\d+&signature=`,
      );
      const state = (operationStatus: string, rows: string, fraction: number | null) => ({
        operationId: id,
        operationStatus,
        progress: { rows, fraction },
        chains: CHAINS,
      });
      expect(events.map(({ data }) => data?.operationUpdated)).toEqual([
        { ...state("RUNNING", "0", null), file: null, metadata: null },
        { ...state("RUNNING", "5", 0.5), file: null, metadata: null },
        {
          ...state("COMPLETED", "10", 1),
          file: { rowCount: "10", sha256: "07".repeat(32), downloadUrl },
          metadata: { code: null, downloadUrl, nextDate: null },
        },
      ]);
    },
  );

  it("fails with NOT_FOUND for an operation that does not exist", async () => {
    const events: unknown[] = [];
    const id = "00000000-0000-4000-8000-000000000000";
    const watched = (async () => {
      for await (const event of connect(replicas[0]?.url ?? "", updates(id))) events.push(event);
    })();
    const failure = await watched.then(
      () => events,
      (error: unknown) => error,
    );
    expect(JSON.stringify(failure)).toMatch(/operation \\"00000000-.*\\" does not exist.*NOT_FOUND/);
  });
});

it("operationsUpdated sends the running operations with these tokens, then every change on any replica", async () => {
  const own = [await startWithToken(), await startWithToken()];
  const [running = "", added = ""] = own.map(({ operationId }) => operationId);
  const other = await start();
  const statuses = new Map<string, string[]>();
  const tokens = JSON.stringify(own.map(({ cancelToken }) => cancelToken));
  const query = `subscription { operationsUpdated(cancelTokens: ${tokens}) { ${FIELDS} } }`;
  const ends = { expected: Number.POSITIVE_INFINITY, received: 0 };
  const watched = (async () => {
    for await (const { data } of overWebSocket<Event>(replicas[1]?.url ?? "", query)) {
      const { operationId, operationStatus } = data?.operationsUpdated ?? { operationId: "", operationStatus: "" };
      statuses.set(operationId, [...new Set([...(statuses.get(operationId) ?? []), operationStatus])]);
      if (operationStatus === "COMPLETED" && ++ends.received === ends.expected) break;
    }
  })();
  await until(() => statuses.has(running));
  await until(() => statuses.has(added));
  await changeOperation(database, other, COMPLETED);
  ends.expected = ends.received + 2;
  for (const id of [running, added]) await changeOperation(database, id, COMPLETED);
  await watched;
  const expected = ["RUNNING", "COMPLETED"];
  expect([running, added].map((id) => statuses.get(id))).toEqual([expected, expected]);
  expect(statuses.has(other)).toBe(false);
});

it("no one of 500 watchers on two replicas misses a status, though the connection is cut", async () => {
  const id = await start();
  const clients = replicas.map(({ url }) =>
    createClient({ url: url.replace("http", "ws"), webSocketImpl: WebSocket, lazy: false }),
  );
  const statuses: string[][] = [];
  const query = `subscription { operationUpdated(operationId: "${id}") { operationStatus progress { rows } } }`;
  const watch = async (index: number) => {
    const own: string[] = [];
    statuses.push(own);
    for await (const event of (clients[index % 2] as Client).iterate<Event["data"]>({ query }))
      own.push((event as Event).data?.operationUpdated?.operationStatus ?? JSON.stringify(event));
  };
  const watching = Array.from({ length: 500 }, (_, index) => watch(index));
  await until(() => statuses.every(({ length }) => length > 0));
  await changeOperation(database, id, { started_at: 1 });
  await cut();
  await changeOperation(database, id, { ...COMPLETED, operation_status: "COMPLETED_WITH_WARNING" });
  await Promise.all(watching);
  for (const client of clients) await client.dispose();
  expect(new Set(statuses.map((own) => [...new Set(own)].join()))).toEqual(new Set(["RUNNING,COMPLETED_WITH_WARNING"]));
});

describe("operations", () => {
  it("are listed newest first, page by page, and can be filtered by status", async () => {
    const started = [await startWithToken(), await startWithToken(), await startWithToken()];
    const ids = started.map(({ operationId }) => operationId);
    const tokens = started.map(({ cancelToken }) => cancelToken);
    await start();
    await database.pool.query("UPDATE operations SET created_at = created_at - 10 WHERE operation_id <> ALL ($1)", [
      ids,
    ]);
    await database.pool.query("UPDATE operations SET created_at = created_at + 5 WHERE operation_id = $1", [ids[1]]);
    await changeOperation(database, ids[2] ?? "", COMPLETED);
    const list =
      "query ($token: String, $status: OperationStatus, $tokens: [String!]) { operations(first: 2, after: $token, cancelTokens: $tokens, filter: { status: $status }) { operations: nodes { operationId operationStatus } pageInfo { endCursor } } }";
    const pageOf = async (variables: object) =>
      (await ask(list, { tokens, ...variables })).data?.["operations"] as unknown as {
        readonly operations: readonly Updated[];
        readonly pageInfo: { readonly endCursor: string | null };
      };
    const first = await pageOf({});
    const second = await pageOf({ token: first.pageInfo.endCursor });
    const listed = [...first.operations, ...second.operations].map(({ operationId }) => operationId);
    expect(listed[0]).toBe(ids[1]);
    expect(listed).toHaveLength(3);
    expect(new Set(listed)).toEqual(new Set(ids));
    expect((await pageOf({ status: "RUNNING" })).operations.map(({ operationId }) => operationId)).toEqual([
      ids[1],
      ids[0],
    ]);
    for (const change of [{ status: "FAILED" }, { tokens: tokens.slice(1) }]) {
      const { errors } = await ask(list, { tokens, token: first.pageInfo.endCursor, ...change });
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["INVALID_PARAMETER"]);
    }
  });

  it("of callers without a key are in no list without their tokens, which says so, but can be read and watched", async () => {
    const { operationId } = await startWithToken();
    const list = async (argument: string) =>
      (
        await ask(
          `{ operations${argument} { operations: nodes { operationId } pageInfo { endCursor } totalCount { count } message } }`,
        )
      ).data?.["operations"];
    const none = { operations: [], pageInfo: { endCursor: null }, totalCount: { count: "0" } };
    const message =
      "Operations that were started without an API key are listed only with their cancelTokens, which their starts returned.";
    expect(await list("")).toEqual({ ...none, message });
    expect(await list("(cancelTokens: [])")).toEqual({ ...none, message });
    for (const wrong of ["x", "", operationId])
      expect(await list(`(cancelTokens: ["${wrong}"])`)).toEqual({
        ...none,
        message: null,
      });
    for (const wrong of ["first: 0", "last: -1", "first: 1, last: 1", 'after: "x"']) {
      const { errors } = await ask(`{ operations(${wrong}) { message } }`);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["INVALID_PARAMETER"]);
    }
    const read = await ask(`{ operation(operationId: "${operationId}") { operationId cancelToken } }`);
    expect(read).toEqual({ data: { operation: { operationId, cancelToken: null } } });
    const tooMany = await ask("query ($tokens: [String!]) { operations(cancelTokens: $tokens) { message } }", {
      tokens: Array(101).fill("x"),
    });
    expect(tooMany.errors?.[0]?.message).toBe("cancelTokens must have at most 100 items, got 101 items");
    for await (const event of overSse<Event>(
      replicas[0]?.url ?? "",
      "subscription { operationsUpdated { operationId } }",
    ))
      expect(event.errors?.[0]?.extensions.code).toBe("UNAUTHENTICATED");
  });

  it("are started once by two replicas at the same time", async () => {
    const variables = { request: request() };
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => ask(START, variables, replicas[index % 2] as Served)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it("have their request in the graph", async () => {
    const id = await start();
    const fields = `operationType message isCancelled firstDate lastDate addresses cChainEvmAddresses includeChains compression network
      chains { chainName } blockchains { blockchainId } createdAtTimestamp startedAtTimestamp expiresAtTimestamp`;
    const { data } = await ask(`{ operation(operationId: "${id}") { ${fields} } }`);
    expect(data?.["operation"]).toEqual({
      operationType: "TRANSACTION_EXPORT_EVM",
      message: null,
      isCancelled: false,
      firstDate: "2023-05-01",
      lastDate: "2023-05-02",
      addresses: [expect.stringMatching(/^0x[aA]+/)],
      cChainEvmAddresses: [],
      includeChains: ["43113", "99"],
      compression: "NONE",
      network: null,
      chains: EVM_CHAINS.map(({ chainName }) => ({ chainName })),
      blockchains: [],
      createdAtTimestamp: expect.any(Number),
      startedAtTimestamp: null,
      expiresAtTimestamp: null,
    });
  });

  it("have the form of their file in the graph, which tells their requests apart", async () => {
    const variables = { request: request() };
    const fields = "operationId dateFormat byteOrderMark exportedAddress";
    const started = async (file: string, key: string) => {
      const { data, errors } = await ask(
        `mutation($request: TransactionExportRequest!) {
          startTransactionExport(request: $request, idempotencyKey: "${key}", file: ${file}) { ${fields} } }`,
        variables,
      );
      return errors?.[0]?.extensions.code ?? data?.["startTransactionExport"];
    };
    const plain = { dateFormat: "ISO_8601", byteOrderMark: false, exportedAddress: false };
    const formed = { dateFormat: "DATE_TIME", byteOrderMark: true, exportedAddress: true };
    const first = await started("null", "form-1");
    const second = await started("{ dateFormat: DATE_TIME, byteOrderMark: true, exportedAddress: true }", "form-2");
    expect([first, second]).toMatchObject([plain, formed]);
    const idOf = (operation: unknown) => (operation as { readonly operationId: string }).operationId;
    expect(idOf(first)).not.toBe(idOf(second));
    expect(await started("{ byteOrderMark: false }", "form-1")).toEqual(first);
    expect(await started("{ byteOrderMark: true }", "form-1")).toBe("INVALID_PARAMETER");
  });

  it("are null if their id is unknown or malformed, and cannot be cancelled then", async () => {
    for (const id of ["00000000-0000-4000-8000-000000000000", "x"]) {
      expect(await ask(`{ operation(operationId: "${id}") { operationId } }`)).toEqual({ data: { operation: null } });
      const { errors } = await ask(`mutation { cancelOperation(operationId: "${id}") { operationId } }`);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["NOT_FOUND"]);
    }
  });

  it("can be cancelled with the token that the start returned, and not by everyone", async () => {
    const { operationId, cancelToken } = await startWithToken();
    const cancel = (argument: string) =>
      ask(
        `mutation { cancelOperation(operationId: "${operationId}"${argument}) { operationStatus message metadata { code } } }`,
      );
    for (const argument of ["", ', cancelToken: ""', ', cancelToken: "x"'])
      expect((await cancel(argument)).errors?.map(({ extensions }) => extensions.code)).toEqual(["FORBIDDEN"]);
    const { data } = await cancel(`, cancelToken: "${cancelToken}"`);
    expect(data).toEqual({
      cancelOperation: { operationStatus: "FAILED", message: "the export was cancelled", metadata: null },
    });
  });

  it.each([
    [{ options: { addresses: ["x"], includeChains: ["99"] } }, /^options.addresses\[0\] must be an EVM address.*"x"$/],
    [{ firstDate: "2023-02-30" }, /^firstDate must be a date that exists.*"2023-02-30"$/],
    [{ options: { includeChains: ["99"], limit: 1 } }, /limit/],
    [{ type: "EXPORT" }, /EXPORT/],
    [{ type: "EXPORT", options: {}, days: 1 }, /EXPORT.*days/],
  ])("are refused with INVALID_PARAMETER for an invalid request: %j", async (change, message) => {
    const { errors } = await ask(START, { request: { ...request(), ...change } });
    expect(errors?.map((error) => error.message).join()).toMatch(message);
    expect(new Set(errors?.map(({ extensions }) => extensions.code))).toEqual(new Set(["INVALID_PARAMETER"]));
  });
});

describe("operations of API keys", () => {
  const owners = ["", "a", "b"];

  it("are visible to their key only; those without a key to everyone who knows the id", async () => {
    await using subgraph = await createOperationsSubgraph({ config, database, logger: createLogger("silent") });
    const contextOf = (caller: string) =>
      subgraph.context({ work: createWork(), requestId: "test", ...(caller ? { caller } : {}) });
    const ids = new Map<string, string>();
    for (const owner of owners) {
      const { jobs, requests } = contextOf(owner);
      const parsed = await requests.parse(request() as never);
      ids.set(owner, (await jobs.start(owner, parsed, null, SERVICE_WORK)).operationId);
    }
    const visible = async (caller: string, owner: string) =>
      (await contextOf(caller).load.operation({ operationId: ids.get(owner) ?? "" })) !== null;
    for (const caller of owners)
      for (const owner of owners) expect(await visible(caller, owner)).toBe(owner === "" || owner === caller);
    const args = { size: 100 } as never;
    const { nodes } = await subgraph
      .context({ work: createWork(), requestId: "test" })
      .operations.page({ owner: "a" }, args, SERVICE_WORK);
    expect(nodes.map(({ operationId }) => operationId)).toEqual([ids.get("a")]);
  });

  it("are read and listed by their key only, and cannot be listed without a key, through the gateway", async () => {
    const apiKeys = [{ key: "the-first-key" }, { key: "the-second-key" }];
    await using gateway = await serveGraph({ database, config: exportConfig({ apiKeys }) });
    const askWith = async (key: string, query: string, variables: object = {}) => {
      const headers = { "content-type": "application/json", "x-service-api-key": key };
      const body = JSON.stringify({ query, variables });
      return (await (await fetch(gateway.url, { method: "POST", headers, body })).json()) as Answer;
    };
    const answer = await askWith("the-first-key", START, { request: request() });
    const { operationId } = valueIn<Updated>(answer, "startTransactionExport");
    const list = "{ operations { operations: nodes { operationId } } }";
    expect(await askWith("the-first-key", list)).toEqual({ data: { operations: { operations: [{ operationId }] } } });
    expect(await askWith("the-second-key", list)).toEqual({ data: { operations: { operations: [] } } });
    const one = `{ operation(operationId: "${operationId}") { chains { chainName } } }`;
    expect((await askWith("the-first-key", one)).data?.["operation"]).toEqual({
      chains: CHAINS.map(({ chainName }) => ({ chainName })),
    });
    expect(await askWith("the-second-key", one)).toEqual({ data: { operation: null } });
    const withToken = await askWith("the-first-key", `{ operations(cancelTokens: ["x"]) { message } }`);
    expect(withToken.errors?.map(({ extensions }) => extensions.code)).toEqual(["INVALID_PARAMETER"]);
    const refusals = [(await ask(list, {}, gateway)) as Event];
    const watch = "subscription { operationsUpdated { operationId } }";
    for await (const event of overSse<Event>(gateway.url, watch)) refusals.push(event);
    const codes = refusals.flatMap(({ errors }) => errors?.map(({ extensions }) => extensions.code));
    expect(codes).toEqual(["UNAUTHENTICATED", "UNAUTHENTICATED"]);
  });
});

it("the log warns at the start if download links contain a host that callers cannot use", async () => {
  const { logger, lines } = createLogLines("warn");
  await using _unusable = await createOperationsSubgraph({ config: exportConfig({ host: "::" }), database, logger });
  expect(lines).toMatchObject([{ msg: expect.stringMatching(/^download links of exports do not work.*host ::/) }]);
  await using _usable = await createOperationsSubgraph({ config, database, logger });
  expect(lines).toHaveLength(1);
});
