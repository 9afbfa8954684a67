import { parseIdText } from "../../../../core/formats/id-text.ts";
import { createLogger } from "../../../../core/observability/logger.ts";
import { testConfig } from "../../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../../test/support/database/database.ts";
import { statementsOf } from "../../../../test/support/database/statements.ts";
import { createHealth, type Health } from "../health.ts";

const PRIMARY = "11111111111111111111111111111111LpoYY";
const SUBNET = "2wZnmGBoRa8PpSceBw86aepyUgGWjYXp887jsksnk9aQkpWXkZ";
const L1 = "RNvsaukvAFhfwZojarjF3LEwq3P6amZ8C2y8NBqBUdgGuyjoV";
const C_CHAIN = "jTXXu5hcQxAs4K9FrEqNtSLpJFoKTXC9NwDT1AFFmXJKHGind";
const HASH = `\\x${"00".repeat(31)}2a`;
const BLOCK_ID = "11111111111111111111111111111115qB5YUe";

const evm = (chainId: number, more: object = {}) => ({
  chainId,
  network: "fuji",
  nodeUrl: "http://node.secret",
  chainName: "A chain",
  ...more,
});
const CONFIG = testConfig({
  evmChains: [
    evm(7, { blockchainId: C_CHAIN, subnetId: PRIMARY }),
    evm(8, { blockchainId: L1, subnetId: SUBNET }),
    evm(9),
  ],
  primaryNetworks: [
    { network: "fuji", networkId: 5, nodeUrl: "http://node.secret" },
    { network: "mainnet", nodeUrl: "http://node.secret" },
  ],
});
const KEYS = ["7", "8", "9", "5/P", "5/X", "5/C", "1/P", "1/X"];

let database: TestDatabase;
let health: Health;
let nowNs: bigint;

beforeEach(async () => {
  database = await createTestDatabase();
  nowNs = 1_800_000_000_000_000_000n;
  const clock = { nowNs: () => nowNs };
  health = await createHealth({
    config: CONFIG,
    database,
    logger: createLogger("silent"),
    upstream: null,
    probes: {},
    clock,
  });
});
afterEach(async () => {
  await health[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

interface Given {
  readonly state?: string;
  readonly reason?: string | null;
  readonly height?: number;
  readonly head?: number | null;
  readonly silentSeconds?: number;
}

/** Writes a chain's progress as the indexer does. */
async function indexed(key: string, given: Given = {}): Promise<void> {
  const { state = "FOLLOWING", reason = null, height = 10, head = 10, silentSeconds = 0 } = given;
  const [networkId, chain] = key.split("/");
  const [progress, heads, values] = chain
    ? ["primary_progress", "primary_heads", `${networkId}, '${chain}'`]
    : ["chain_progress", "chain_heads", key];
  const where = chain ? `network_id = ${networkId} AND chain = '${chain}'` : `chain_id = ${key}`;
  const { pool } = database;
  await pool.query(`DELETE FROM ${progress} WHERE ${where}`);
  await pool.query(`DELETE FROM ${heads} WHERE ${where}`);
  await pool.query(
    `INSERT INTO ${progress} VALUES (${values}, $1, $2, $3, $4, 1, extract(epoch FROM now())::bigint - $5::int)`,
    [state, reason, head, height, silentSeconds],
  );
  const rest = chain ? `1, ${height}, '${HASH}', '', 0, 0, 1` : `1, ${height}, '${HASH}', 0, 0, 1`;
  await pool.query(`INSERT INTO ${heads} VALUES (${values}, ${chain ? "" : "'', "}${rest})`);
}

const checkOf = (name: string) => health.health().checks.find((check) => check.name === name);

describe("the checks of chains", () => {
  it("are one for each indexed chain, named by alias, blockchain id or EVM chain id, and tagged with its subnet", () => {
    const chains = health.health(["application"]).checks.map(({ name }) => name);
    expect(chains).toEqual(["bootstrapped", "database", "diskspace", "network", "router"]);
    const all = health.health().checks.filter(({ name }) => !chains.includes(name));
    expect(Object.fromEntries(all.map(({ name, tags }) => [name, tags]))).toEqual({
      P: [PRIMARY],
      X: [PRIMARY],
      C: [PRIMARY],
      [L1]: [SUBNET],
      "9": ["9"],
      "mainnet/P": [PRIMARY],
      "mainnet/X": [PRIMARY],
    });
  });

  it("identify a C-Chain by its network's genesis if the settings do not name it", async () => {
    const config = testConfig({
      evmChains: [evm(760011, { blockchainId: BLOCK_ID }), evm(43113, { network: "mainnet" })],
      primaryNetworks: [{ network: "fuji", networkId: 5, nodeUrl: "http://node.secret" }],
    });
    const namesOf = async () => {
      const deps = { config, database, logger: createLogger("silent"), upstream: null, probes: {} };
      await using other = await createHealth(deps);
      return other.health([PRIMARY]).checks.flatMap(({ name, tags }) => (tags.includes(PRIMARY) ? [name] : []));
    };
    expect(await namesOf()).toEqual(["P", "X", "mainnet/C"]);
    await database.pool.query(
      `INSERT INTO primary_networks (network_id, hrp, genesis_timestamp, genesis_hash, x_chain_id, c_chain_id, avax_asset_id, rules)
        VALUES (5, 'fuji', 0, '', '', '${HASH}', '', '{}')`,
    );
    expect(await namesOf()).toEqual(["C", "P", "X", "mainnet/C"]);
  });

  it("of a custom network's C-Chain and of an L1 have their subnet's tag once it is indexed", async () => {
    const config = testConfig({
      evmChains: [evm(760011, { blockchainId: BLOCK_ID }), evm(8, { blockchainId: L1 })],
      primaryNetworks: [{ network: "fuji", networkId: 76001, nodeUrl: "http://node.secret", genesisFile: "none" }],
    });
    const deps = { config, database, logger: createLogger("silent"), upstream: null, probes: {} };
    await using other = await createHealth(deps);
    const seen = () => {
      const all = other.health().checks;
      const named = all.filter(({ tags }) => !tags.includes("application")).map(({ name, tags }) => [name, ...tags]);
      return { named, pending: all.find(({ name }) => name === "bootstrapped")?.message };
    };
    const primary = ["P", "X"].map((name) => [name, PRIMARY]);
    await other.tick();
    expect(seen()).toEqual({
      named: [[BLOCK_ID, "760011"], ...primary.slice(0, 1), [L1, "8"], ...primary.slice(1)],
      pending: [PRIMARY, "760011", "8"],
    });
    await indexed("760011");
    await other.tick();
    expect(seen().pending).toEqual([PRIMARY, "8"]);
    await database.pool.query(
      `INSERT INTO primary_networks (network_id, hrp, genesis_timestamp, genesis_hash, x_chain_id, c_chain_id, avax_asset_id, rules)
        VALUES (76001, 'custom', 0, '', '', '${HASH}', '', '{}')`,
    );
    for (const chain of ["P", "X"]) await indexed(`76001/${chain}`);
    await other.tick();
    expect(seen()).toEqual({
      named: [["C", PRIMARY], ...primary.slice(0, 1), [L1, "8"], ...primary.slice(1)],
      pending: [PRIMARY, "8"],
    });
    await indexed("76001/C");
    const id = (text: string) => Buffer.from(parseIdText(text) ?? "", "hex");
    await database.pool.query("CREATE TABLE blockchains_test PARTITION OF blockchains FOR VALUES IN (76001)");
    await database.pool.query(
      `INSERT INTO blockchains (network_id, blockchain_id, blockchain_seq, subnet_id, create_block_number, create_timestamp, vm_id, name, genesis_data)
        VALUES (76001, $1, 0, $2, 1, 1, '', '', '')`,
      [id(L1), id(SUBNET)],
    );
    await other.tick();
    expect(seen().pending).toEqual([SUBNET]);
    expect(seen().named).toContainEqual([L1, SUBNET]);
    const statements = await statementsOf(() => other.tick());
    expect(statements.filter((text) => text.includes("blockchains"))).toEqual([]);
  });

  it("report the indexed height, and pass while it advances", async () => {
    await indexed("5/P", { height: 10, head: 13 });
    await indexed("8", { state: "BACKFILLING", height: -1, head: null });
    await health.tick();
    expect(checkOf("P")).toMatchObject({
      error: null,
      message: {
        engine: { consensus: { lastAcceptedHeight: 10, lastAcceptedID: BLOCK_ID } },
        indexing: { height: 10, head: 13, lag: 3, state: "FOLLOWING" },
      },
    });
    expect(checkOf(L1)).toMatchObject({
      error: null,
      message: {
        engine: { consensus: {} },
        indexing: { height: null, head: null, lag: null, state: "BACKFILLING" },
      },
    });
    expect(checkOf("X")).toMatchObject({ error: "nothing is indexed yet", message: null });
  });

  it.each([
    ["WAITING", "the node is down", "indexing waits: the node is down"],
    ["STOPPED", "the node lies", "indexing stopped: the node lies"],
  ])("fail while the indexer is %s, with its reason", async (state, reason, error) => {
    await indexed("5/P", { state, reason });
    await health.tick();
    expect(checkOf("P")).toMatchObject({ error, message: { indexing: { state, reason } } });
    await indexed("5/P");
    await health.tick();
    expect(checkOf("P")).toMatchObject({ error: null, contiguousFailures: null });
  });

  it.each([
    ["8", L1, "chain_verifications", "8"],
    ["5/X", "X", "primary_verifications", "5, 'X'"],
  ])(
    "fail while samples of the rows of %s differ, and show up to which block they do not",
    async (key, name, table, values) => {
      await indexed(key);
      const compared = (differing: number) =>
        database.pool.query(`INSERT INTO ${table} VALUES (${values}, 9, 0, 100, ${differing}, '{}', NULL)`);
      await compared(2);
      await health.tick();
      expect(checkOf(name)).toMatchObject({
        error: "indexed data differ from the stored blocks or from the node",
        message: { indexing: { height: 10, verifiedHeight: 9 } },
      });
      await database.pool.query(`DELETE FROM ${table}`);
      await compared(0);
      await health.tick();
      expect(checkOf(name)).toMatchObject({ error: null, message: { indexing: { verifiedHeight: 9 } } });
    },
  );

  it("fail for the C-Chain also if indexing of atomic transactions fails", async () => {
    await indexed("7");
    await indexed("5/C", { state: "STOPPED", reason: "taken back" });
    await health.tick();
    expect(checkOf("C")).toMatchObject({
      error: "atomic transactions: indexing stopped: taken back",
      message: { indexing: { state: "FOLLOWING" } },
    });
    await indexed("7", { state: "WAITING", reason: "down" });
    await health.tick();
    const error = "indexing waits: down; atomic transactions: indexing stopped: taken back";
    expect(checkOf("C")?.error).toBe(error);
  });

  it("fail if the indexer is behind and has not advanced for two minutes", async () => {
    const at = async (seconds: bigint, height: number, head: number) => {
      nowNs = (1_800_000_000n + seconds) * 1_000_000_000n;
      await indexed("5/P", { height, head });
      await health.tick();
      return checkOf("P")?.error ?? null;
    };
    expect(await at(0n, 10, 12)).toBeNull();
    expect(await at(120n, 10, 15)).toBeNull();
    expect(await at(121n, 10, 15)).toBe(
      "indexing has not progressed for more than 2m0s: at height 10, behind its node",
    );
    expect(await at(122n, 11, 15)).toBeNull();
    expect(await at(242n, 11, 11)).toBeNull();
    expect(await at(500n, 11, 12)).toBeNull();
    expect(await at(619n, 11, 13)).toBeNull();
  });

  it("fail if the indexer no longer reports progress, but not during a replay", async () => {
    await indexed("5/P", { silentSeconds: 110 });
    await indexed("5/X", { silentSeconds: 130 });
    await indexed("8", { silentSeconds: 130, state: "BACKFILLING", reason: "the rows are made again" });
    await health.tick();
    expect([checkOf("P")?.error, checkOf("X")?.error, checkOf(L1)?.error]).toEqual([
      null,
      "the indexer has not reported for more than 2m0s",
      null,
    ]);
  });

  it("read the tables once a run for all chains", async () => {
    const statements = await statementsOf(() => health.tick());
    expect(statements.filter((text) => text !== "SELECT 1")).toEqual([expect.stringContaining("chain_progress")]);
  });
});

describe("the check bootstrapped", () => {
  const bootstrapped = () => [health.readiness(), health.health()].map(({ checks }) => checks.find(isBootstrapped));
  const isBootstrapped = ({ name }: { readonly name: string }) => name === "bootstrapped";

  it("lists each subnet with a chain that has not reached its head once, until all have", async () => {
    expect(health.readiness()).toMatchObject({ healthy: false, checks: [{ error: "not yet run" }] });
    await health.tick();
    for (const check of bootstrapped())
      expect(check).toMatchObject({ message: [PRIMARY, SUBNET, "9"], error: "subnets not bootstrapped" });
    for (const key of KEYS) await indexed(key);
    await indexed("5/X", { state: "WAITING", reason: "down", height: 10, head: 111 });
    await indexed("8", { state: "BACKFILLING", height: 9, head: 10 });
    await health.tick();
    for (const check of bootstrapped()) expect(check).toMatchObject({ message: [PRIMARY, SUBNET] });
    await indexed("5/X", { state: "WAITING", reason: "down", height: 11, head: 111 });
    await indexed("8");
    await health.tick();
    for (const check of bootstrapped()) expect(check).toMatchObject({ message: [], error: null });
  });

  it("stays ready when a chain that reached its head falls behind; the check network reports the lag", async () => {
    for (const key of KEYS) await indexed(key);
    await health.tick();
    await indexed("5/P", { state: "BACKFILLING", height: 10, head: 111 });
    await indexed("8", { state: "STOPPED", reason: "wrong", height: 10, head: 5_000 });
    await health.tick();
    for (const check of bootstrapped()) expect(check).toMatchObject({ message: [], error: null });
    expect(checkOf("network")?.error).toBe(
      `network layer is unhealthy reason: P is more than 100 blocks behind its node, ${L1} is more than 100 blocks behind its node`,
    );
    expect(health.liveness()).toEqual({ healthy: true, checks: [] });
  });
});
