import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { exchangeBytes, listen } from "../support/node/listen.ts";
import { RUNNING_ID } from "../support/operations/running-operation.ts";
import { COMPLETED, changeOperation } from "../support/operations/worker.ts";
import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import {
  ADDRESS,
  EVM,
  EXPORT_PATH,
  EXPORT_REQUEST_RULES,
  evmExport,
  PRIMARY,
  postJson,
  primaryExport,
  STAKING,
  started,
  WALLET,
} from "./export-requests.ts";
import { type Rule, rule } from "./rule.ts";

const pathOf = (operationId: unknown) => `/v1/operations/${operationId}`;

const KEYS = [
  { key: "key-of-mainnet", networks: ["mainnet"] },
  { key: "key-of-fuji", networks: ["fuji"] },
  { key: "a-key-of-all-networks" },
  { key: "key-with-many-exports" },
];
const withKey = (key: string) => ({ "x-service-api-key": key });
const keyed = (api: Api) => api.shared("with keys of operations", () => api.limited({ settings: { apiKeys: KEYS } }));

/** Ends an operation, so that it does not count as running. */
const end = (api: Api, { operationId }: Readonly<Record<string, unknown>>) =>
  changeOperation(api, String(operationId), { operation_status: "FAILED", ended_at: 2_000, expires_at: 9_999_999_999 });

const START_RULES: readonly Rule[] = [
  rule("E3.1", "MUST", "returns the operation, which runs, without a message and metadata", async (api) => {
    const operation = await started(api, evmExport());
    expect(operation).toEqual({
      operationId: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      operationType: EVM,
      operationStatus: "RUNNING",
      createdAtTimestamp: api.nowSeconds,
      updatedAtTimestamp: api.nowSeconds,
    });
  }),
  rule("E3.2", "MUST", "starts each type with all of its options", async (api) => {
    const dates = { firstDate: "2023-05-01", startDate: "2023-05-01", lastDate: "2023-05-02", endDate: "2023-05-02" };
    const all = { cChainEvmAddresses: [WALLET], addresses: [`P-${ADDRESS}`, ADDRESS], compression: "GZIP" };
    for (const body of [
      evmExport(dates, { compression: "NONE" }),
      primaryExport(dates, all),
      primaryExport({ ...dates, type: `${PRIMARY}_SIMPLE` }, all),
      primaryExport({ ...dates, type: STAKING }, all),
    ]) {
      const operation = await started(api, body);
      expect(operation).toMatchObject({ operationType: body["type"], operationStatus: "RUNNING" });
      await end(api, operation);
    }
  }),
  rule("E3.3", "MUST", "returns 201 in the hosted dialect, with the same body", async (api) => {
    const { status, body } = await api.get(`/hosted${EXPORT_PATH}`, postJson(evmExport()));
    expect([status, body]).toEqual([201, await started(api, evmExport())]);
  }),
  rule("E3.4", "CHOICE", "returns the running operation for the same request in another spelling", async (api) => {
    const first = await started(api, evmExport({ firstDate: "2023-05-01" }));
    const upper = WALLET.toUpperCase().replace("0X", "0x");
    const same = evmExport({ startDate: "2023-05-01" }, { addresses: [upper, WALLET], compression: "NONE" });
    expect(await started(api, same)).toEqual(first);
    const other = await started(api, evmExport({ firstDate: "2023-05-02" }));
    expect(other["operationId"]).not.toBe(first["operationId"]);
    await end(api, first);
    const next = await started(api, same);
    expect(next["operationId"]).not.toBe(first["operationId"]);
    for (const operation of [other, next]) await end(api, operation);
  }),
  rule("E3.5", "CHOICE", "returns the operation of an Idempotency-Key, also after its end", async (api) => {
    const body = evmExport({ firstDate: "2023-06-01" });
    const key = { "Idempotency-Key": '"an attempt ~1"' };
    const first = await started(api, body, key);
    await end(api, first);
    expect(await started(api, body, key)).toMatchObject({
      operationId: first["operationId"],
      operationStatus: "FAILED",
    });
    expect(await api.refusal(EXPORT_PATH, postJson(evmExport(), key))).toEqual([
      400,
      'idempotency-key "\\"an attempt ~1\\"" was used with another request; use a new key for a new request',
    ]);
    expect(await api.refusal(EXPORT_PATH, postJson(body, { "idempotency-key": "x".repeat(256) }))).toEqual([
      400,
      `idempotency-key must be at most 255 printable ASCII characters, got "${"x".repeat(99)}…`,
    ]);
  }),
  rule("E3.29", "CHOICE", "refuses two Idempotency-Key headers, also with the same value", async (api) => {
    const body = JSON.stringify(evmExport({ firstDate: "2023-06-02" }));
    const head = `POST ${EXPORT_PATH} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n`;
    const keys = "idempotency-key: one\r\nIdempotency-Key: one\r\n";
    const answer = await exchangeBytes(api.port, `${head}${keys}content-length: ${body.length}\r\n\r\n${body}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("idempotency-key must occur at most once in a request, got 2 headers");
  }),
  rule("E3.6", "CHOICE", "returns the same operation to a client that sends again after a 503", async (api) => {
    await using lossy = await listen(losingAnswers(api, 2));
    const send = () => fetch(lossy.url + EXPORT_PATH, postJson(evmExport({ lastDate: "2023-07-01" })));
    expect([(await send()).status, (await send()).status]).toEqual([503, 503]);
    const answer = await send();
    expect(answer.status).toBe(200);
    const operation = (await answer.json()) as Readonly<Record<string, unknown>>;
    const { rows } = await api.pool.query("SELECT operation_id FROM operations WHERE request LIKE '%2023-07-01%'");
    expect(rows).toEqual([{ operation_id: operation["operationId"] }]);
    await end(api, operation);
  }),
  rule("E3.7", "CHOICE", "starts an operation of its own for each API key", async (api) => {
    const server = await keyed(api);
    const operations = await Promise.all(
      [{}, withKey("key-of-fuji"), withKey("a-key-of-all-networks")].map((headers) =>
        started(server, evmExport(), headers),
      ),
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(3);
    expect(await started(server, evmExport(), withKey("a-key-of-all-networks"))).toEqual(operations[2]);
  }),
  rule("E3.8", "CHOICE", "returns 403 for a key that is restricted to another network", async (api) => {
    const server = await keyed(api);
    const ofMainnet = (body: unknown) => server.refusal(EXPORT_PATH, postJson(body, withKey("key-of-mainnet")));
    for (const body of [evmExport(), primaryExport(), primaryExport({}, { addresses: [], includeChains: ["p-chain"] })])
      expect(await ofMainnet(body)).toEqual([403, "the API key is not valid for the network fuji"]);
    expect((await ofMainnet(evmExport({}, { includeChains: ["1"] })))[0]).toBe(400);
    expect(await started(server, primaryExport(), withKey("key-of-fuji"))).toMatchObject({ operationType: PRIMARY });
  }),
  rule("E3.9", "MUST", "returns 429 with retry-after if too many operations of a key run", async (api) => {
    const server = await keyed(api);
    const start = (day: number) =>
      server.get(
        EXPORT_PATH,
        postJson(evmExport({ firstDate: `2024-01-${10 + day}` }), withKey("key-with-many-exports")),
      );
    for (let day = 0; day < 10; day++) expect((await start(day)).status).toBe(200);
    const { status, headers, body } = await start(10);
    expect([status, headers.get("retry-after"), body]).toMatchObject([
      429,
      "60",
      { message: expect.stringMatching(/^at most 10 operations of this API key may run at the same time/) },
    ]);
    expect((await start(0)).status).toBe(200);
  }),
];

/** Passes requests on, but answers the first ones with 503 after the server has done its work. */
function losingAnswers({ port }: Api, lost: number): RequestListener {
  let count = 0;
  return async (request, response) => {
    const answer = await fetch(`http://127.0.0.1:${port}${request.url}`, postJson(JSON.parse(await text(request))));
    const body = await answer.text();
    if (count++ < lost) response.writeHead(503).end();
    else response.writeHead(answer.status, { "content-type": "application/json" }).end(body);
  };
}

const STATUS_RULES: readonly Rule[] = [
  rule("E4.1", "MUST", "returns the operation that E3 started", async (api) => {
    const operation = await started(api, evmExport());
    expect(await api.body(pathOf(operation["operationId"]))).toEqual(operation);
    expect(await api.body(pathOf(String(operation["operationId"]).toUpperCase()))).toEqual(operation);
  }),
  rule("E4.2", "MUST", "returns each status with the metadata that it has", async (api) => {
    const { operationId } = await started(api, evmExport({ firstDate: "2023-08-01" }));
    const after = async (change: Parameters<typeof changeOperation>[2]) => {
      await changeOperation(api, String(operationId), change);
      const { updatedAtTimestamp: _, ...operation } = await api.body<Record<string, unknown>>(pathOf(operationId));
      return operation;
    };
    const same = { operationId, operationType: EVM, createdAtTimestamp: api.nowSeconds };
    const metadata = { downloadUrl: expect.stringMatching(/^http:\/\/.*\/v1\/operations\/.*signature=/) };
    expect(await after(COMPLETED)).toEqual({ ...same, operationStatus: "COMPLETED", metadata });
    const warning = { code: "WarnTruncatedExport", next_date: "2023-09-01", message: "there are more rows" };
    expect(await after({ operation_status: "COMPLETED_WITH_WARNING", ...warning })).toEqual({
      ...same,
      operationStatus: "COMPLETED_WITH_WARNING",
      message: "there are more rows",
      metadata: { ...metadata, code: "WarnTruncatedExport", nextDate: "2023-09-01" },
    });
    const failure = { operation_status: "FAILED", file_name: null, next_date: null, message: "no" };
    expect(await after({ ...failure, code: "ErrInternal" })).toEqual({
      ...same,
      operationStatus: "FAILED",
      message: "no",
      metadata: { code: "ErrInternal" },
    });
    expect(await after({ ...failure, code: null })).toEqual({ ...same, operationStatus: "FAILED", message: "no" });
  }),
  rule("E4.3", "MUST", "returns 404 for an unknown operation, and for text that is no id", async (api) => {
    for (const id of ["00000000-0000-4000-8000-000000000000", "1", "transactions:export", `${RUNNING_ID}0`, "%00", "é"])
      expect(await api.refusal(pathOf(encodeURIComponent(decodeURIComponent(id))))).toEqual([404, expect.any(String)]);
  }),
  rule("E4.4", "CHOICE", "returns 404 for an operation of another API key, also without a key", async (api) => {
    const server = await keyed(api);
    const operation = await started(server, evmExport({ firstDate: "2023-10-01" }), withKey("a-key-of-all-networks"));
    const path = pathOf(operation["operationId"]);
    const statusFor = async (headers: Readonly<Record<string, string>>) => (await server.get(path, { headers })).status;
    expect(await statusFor(withKey("a-key-of-all-networks"))).toBe(200);
    expect(await statusFor({ "x-glacier-api-key": "a-key-of-all-networks" })).toBe(200);
    expect(await statusFor(withKey("key-of-fuji"))).toBe(404);
    expect(await statusFor({})).toBe(404);
    expect(await statusFor({ "x-moraine-caller": "a-key-of-all-networks" })).toBe(404);
    const unknown = await server.refusal(pathOf("00000000-0000-4000-8000-000000000000"));
    const [status, message] = await server.refusal(path);
    expect([status, message.replace(String(operation["operationId"]), "")]).toEqual([
      unknown[0],
      unknown[1].replace("00000000-0000-4000-8000-000000000000", ""),
    ]);
  }),
  rule("E4.5", "CHOICE", "returns an operation that was started without a key to every caller", async (api) => {
    const server = await keyed(api);
    const headers = withKey("a-key-of-all-networks");
    expect((await server.get(pathOf(RUNNING_ID), { headers })).body).toMatchObject({ operationId: RUNNING_ID });
  }),
];

/** All rules of E3 and E4. */
export const OPERATION_RULES: readonly Rule[] = [
  ...START_RULES,
  ...EXPORT_REQUEST_RULES,
  ...everyRouteRules({ id: "E3", path: EXPORT_PATH, body: JSON.stringify(evmExport()), units: 20, statements: 8 }),
  ...STATUS_RULES,
  ...everyRouteRules({ id: "E4", path: pathOf(RUNNING_ID), units: 10, statements: 1 }),
];
