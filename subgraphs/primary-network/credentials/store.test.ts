import type { Config } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork, SERVICE_WORK } from "../../../core/work/work.ts";
import { testConfig } from "../../../test/support/config.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { servedCChain, servedNetworks } from "../../../test/support/indexed/alpha-network.ts";
import { type ReplayedPrimary, replayPrimary } from "../../../test/support/indexed/replayed-primary.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { type Stack, startStack } from "../../../test/support/stack.ts";
import type { PrimaryContext } from "../context.ts";
import { createSubgraph as createPrimaryNetworkSubgraph } from "../subgraph.ts";
import { MAX_INPUTS } from "./store.ts";

/** A recording with vertices and blocks. */
const FOLDER = recordingFolder("delta");

// biome-ignore lint/suspicious/noExplicitAny: answers of the hosted dialect
type Body = Record<string, any>;

let database: ReplayedPrimary;
let config: Config;
let stack: Stack;
beforeAll(async () => {
  database = await replayPrimary(FOLDER);
  config = { ...testConfig(), primaryNetworks: servedNetworks(FOLDER), evmChains: servedCChain(FOLDER) };
  stack = await startStack({ database, config });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function hosted(chain: string, query: string, { get }: Pick<Stack, "get"> = stack): Promise<Body[]> {
  const { status, body } = await get(`/hosted/v1/networks/fuji/blockchains/${chain}-chain/transactions?${query}`);
  expect(status).toBe(200);
  return (body as Body)["transactions"];
}

async function contextOf(): Promise<PrimaryContext> {
  const subgraph = await createPrimaryNetworkSubgraph({ config, database, logger: createLogger("error") });
  return subgraph.context({ work: createWork(), requestId: "test" });
}

const signaturesIn = (transactions: readonly Body[]): Body[] =>
  transactions
    .flatMap(({ consumedUtxos = [], evmInputs = [] }) => [...consumedUtxos, ...evmInputs])
    .flatMap(({ credentials }) => credentials);

/** Pages with transactions of the C-Chain, or with inputs that one of its transactions has exported. */
const ATOMIC: ReadonlySet<string> = new Set(["x 100", "c 1", "c 100"]);

describe("signatures of transaction inputs", () => {
  it.each([
    ["x", 1],
    ["x", 100],
    ["c", 1],
    ["c", 100],
  ] as const)(
    "cost a page of chain %s with %i transactions one statement, and one more for atomic transactions",
    async (chain, pageSize) => {
      const ask = () => hosted(chain, `sortOrder=asc&pageSize=${pageSize}`);
      // Assets are read once and kept.
      await ask();
      let signatures: Body[] = [];
      const statements = await statementsOf(async () => {
        signatures = signaturesIn(await ask());
      });
      expect(signatures.length).toBeGreaterThan(pageSize === 1 ? 0 : 10);
      expect(statements).toHaveLength(ATOMIC.has(`${chain} ${pageSize}`) ? 4 : 3);
      expect(statements.filter((text) => text.includes("primary_raw_blocks"))).toHaveLength(1);
    },
  );

  it("have the same public keys if the owners are not known", async () => {
    const { credentials, networks } = await contextOf();
    const network = await networks.require("fuji");
    const text = `SELECT '0x' || encode(consumed_tx_hash, 'hex') AS "txHash", '0x' || encode(utxo_id, 'hex') AS input,
      array_to_string(addresses, ',') AS owners FROM utxos WHERE consumed_tx_hash IS NOT NULL ORDER BY utxo_id`;
    const { rows } = await database.pool.query<{ txHash: string; input: string; owners: string }>(text);
    const spent = rows.map((row) => ({ network: "fuji" as const, ...row }));
    const read = credentials.ofRequest();
    const known = await read(network, spent, SERVICE_WORK);
    const unknown = await read(
      network,
      spent.map((one) => ({ ...one, owners: "" })),
      SERVICE_WORK,
    );
    expect(known.length).toBe(spent.length);
    expect(known.flatMap((one) => one.credentials).length).toBeGreaterThan(100);
    expect(unknown.map((one) => one.credentials)).toEqual(known.map((one) => one.credentials));
  });

  it("are absent on a C-Chain that is not served as an EVM chain, because its raw blocks are not known", async () => {
    await using other = await startStack({ database, config: { ...config, evmChains: [] } });
    const transactions = await hosted("c", "pageSize=100", other);
    const spent = transactions.flatMap(({ consumedUtxos = [] }) => consumedUtxos);
    const accounts = transactions.flatMap(({ evmInputs = [] }) => evmInputs);
    expect([spent.length > 0, accounts.length > 0]).toEqual([true, true]);
    for (const { credentials } of spent) expect(credentials).toBeUndefined();
    for (const { credentials } of accounts) expect(credentials).toEqual([]);
    expect(signaturesIn(await hosted("x", "pageSize=100", other)).length).toBeGreaterThan(0);
  });

  it("of an invalid raw block are absent, and the rest of the page is served", async () => {
    const before = await hosted("x", "pageSize=20");
    const { pool } = database;
    const last = "network_id = 76004 AND chain = 'X' AND seq = (SELECT raw_seq FROM primary_heads WHERE chain = 'X')";
    await pool.query(`CREATE TABLE kept AS SELECT * FROM primary_raw_blocks WHERE ${last}`);
    await pool.query(`UPDATE primary_raw_blocks SET payload = substring(payload, 1, 100) WHERE ${last}`);
    const after = await hosted("x", "pageSize=20");
    await pool.query(
      `UPDATE primary_raw_blocks j SET payload = k.payload FROM kept k WHERE j.chain = k.chain AND j.seq = k.seq`,
    );
    expect(signaturesIn([before[0] as Body]).length).toBeGreaterThan(0);
    for (const { credentials } of (after[0] as Body)["consumedUtxos"]) expect(credentials).toBeUndefined();
    expect(after.map(({ txHash }) => txHash)).toEqual(before.map(({ txHash }) => txHash));
    expect(after.slice(2).flatMap(({ consumedUtxos }) => consumedUtxos)).toEqual(
      before.slice(2).flatMap(({ consumedUtxos }) => consumedUtxos),
    );
    expect(await hosted("x", "pageSize=20")).toEqual(before);
  });

  it("are limited per request", async () => {
    const { credentials, networks } = await contextOf();
    const network = await networks.require("fuji");
    const spent = { network: "fuji", txHash: `0x${"ab".repeat(32)}`, input: "0", owners: "" } as const;
    const read = credentials.ofRequest();
    expect(await read(network, Array(MAX_INPUTS).fill(spent), SERVICE_WORK)).toEqual([]);
    await expect(read(network, [spent], SERVICE_WORK)).rejects.toMatchObject({ code: "OPERATION_TOO_COMPLEX" });
    expect(await credentials.ofRequest()(network, [spent], SERVICE_WORK)).toEqual([]);
  });
});
