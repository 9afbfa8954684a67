import { formatId } from "../../../core/formats/id-text.ts";
import { createChains } from "../../../core/networks/chains.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { createChainStore } from "../../../subgraphs/evm/chains/store.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { createPlaceCheck } from "./place.ts";

const CHAIN_ID = 7;
const BLOCKCHAIN = "1".repeat(64);
const SUBNET = "2".repeat(64);
const VM = "3".repeat(64);
const OTHER = "4".repeat(64);
const ids = (digits: string) => formatId(digits);
const PRIMARY_NETWORKS = [
  { network: "mainnet", networkId: 1 },
  { network: "fuji", networkId: 5 },
] as const;

let database: TestDatabase;
let writer: Writer;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const { networkId } of PRIMARY_NETWORKS)
    await database.pool.query(
      `CREATE TABLE blockchains_${networkId} PARTITION OF blockchains FOR VALUES IN (${networkId})`,
    );
  await database.pool.query("INSERT INTO chain_progress VALUES (7, 'FOLLOWING', NULL, 1, 1, 1, 1700000000)");
  writer = (await tryBecomeWriter(database.url, "chain 7")) as Writer;
});
afterEach(() => database.pool.query("TRUNCATE blockchains, chain_places"));
afterAll(async () => {
  await writer[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

type Settings = Partial<Parameters<typeof createPlaceCheck>[0]["chain"]>;
const chainOf = (settings: Settings) =>
  ({
    chainId: CHAIN_ID,
    network: "fuji",
    nodeUrl: "http://127.0.0.1:1/",
    nodeHeaders: {},
    blockchainId: ids(BLOCKCHAIN),
    ...settings,
  }) as const;
const logger = createLogger("silent");

async function register(networkId = 5, { block = 9, subnet = SUBNET } = {}): Promise<void> {
  await database.pool.query(
    `INSERT INTO blockchains (network_id, blockchain_id, blockchain_seq, subnet_id, create_block_number, create_timestamp, vm_id, name, genesis_data, evm_chain_id)
     VALUES ($1, decode($2, 'hex'), 1, decode($3, 'hex'), $4, 1, decode($5, 'hex'), 'one', '', 7)`,
    [networkId, BLOCKCHAIN, subnet, block, VM],
  );
}

/** The check of a chain with these settings, and a clock that a test sets. */
function checkOf(settings: Settings = {}) {
  const clock = { now: 0, nowMs: () => clock.now };
  return {
    clock,
    check: createPlaceCheck({ chain: chainOf(settings), primaryNetworks: PRIMARY_NETWORKS, writer, logger, clock }),
  };
}

/** The chain as the API serves it. */
async function served(settings: Settings) {
  const chain = { ...chainOf(settings), chainName: "A chain" };
  const [only] = await createChainStore(database, createChains(testConfig({ evmChains: [chain] }))).list(
    {},
    SERVICE_WORK,
  );
  return only;
}

describe("the place of an EVM chain", () => {
  it.each<readonly [string, Settings, RegExp]>([
    ["subnetId", { subnetId: ids(OTHER) }, /subnetId is \w+, not \w+; correct them in evmChains$/],
    ["vmId", { subnetId: ids(SUBNET), vmId: ids(OTHER) }, /: vmId is \w+, not \w+; correct them in evmChains$/],
    [
      "network",
      { network: "mainnet" },
      /index of fuji, which has blockchain \w+: network is mainnet, not fuji; correct/,
    ],
    [
      "all",
      { network: "mainnet", subnetId: ids(OTHER), vmId: ids(OTHER) },
      /network is mainnet, .* subnetId is .* vmId is/,
    ],
  ])("stops the chain if its settings contradict the P-Chain's index: %s", async (_, settings, message) => {
    await register();
    const { check } = checkOf(settings);
    await expect(check()).rejects.toThrow(message);
    await expect(check()).rejects.toThrow(/^the settings of chain 7 contradict the P-Chain's index of fuji/);
    // The API serves what the index has.
    expect(await served(settings)).toMatchObject({ isTestnet: true, subnetId: ids(SUBNET), vmId: ids(VM) });
  });

  it("is served from the index if the settings do not have it", async () => {
    expect(await served({})).not.toHaveProperty("subnetId");
    await register();
    await checkOf().check();
    expect(await served({})).toMatchObject({ subnetId: ids(SUBNET), vmId: ids(VM), platformChainId: ids(BLOCKCHAIN) });
  });

  it("is looked up again every minute until the index has it, and then a contradiction stops the chain", async () => {
    const { clock, check } = checkOf({ subnetId: ids(OTHER) });
    await check();
    await register();
    clock.now = 59_000;
    await check();
    clock.now = 61_000;
    await expect(check()).rejects.toThrow(/subnetId is/);
  });

  it("is not looked up again once it agrees with the settings", async () => {
    await register();
    const { clock, check } = checkOf({ subnetId: ids(SUBNET), vmId: ids(VM) });
    await check();
    await database.pool.query("UPDATE blockchains SET subnet_id = vm_id");
    clock.now = 1e9;
    await check();
  });

  it("is found without blockchainId only for a chain of the genesis, because anyone can create others with its EVM chain id", async () => {
    const settings = { blockchainId: undefined } as unknown as Settings;
    await register();
    await checkOf(settings).check();
    expect(await served(settings)).not.toHaveProperty("subnetId");
    await database.pool.query("TRUNCATE blockchains");
    await register(5, { block: -1, subnet: "0".repeat(64) });
    await checkOf(settings).check();
    expect(await served(settings)).toMatchObject({ subnetId: ids("0".repeat(64)), platformChainId: ids(BLOCKCHAIN) });
  });

  it("is read from another database outside of a transaction, which would hold up the chains of its session", async () => {
    await using other = await createTestDatabase();
    await using holder = await tryBecomeWriter(other.url, "holder");
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let checking: Promise<void> | undefined;
    await holder?.transaction(async ({ query }) => {
      await query("LOCK TABLE blockchains");
      checking = createPlaceCheck({
        chain: chainOf({}),
        primaryNetworks: PRIMARY_NETWORKS,
        writer,
        otherDatabase: () => other.pool,
        logger,
      })();
      await until(
        async () => (await other.pool.query(waiting)).rowCount ?? 0,
        (count) => count > 0,
        "the statement that waits",
      );
      const states = "SELECT state FROM pg_stat_activity WHERE application_name = 'moraine writer chain 7'";
      expect((await database.pool.query(states)).rows).toEqual([{ state: "idle" }]);
    });
    await checking;
  });

  it("of another blockchain, which the settings named before, is not served", async () => {
    await register();
    await checkOf().check();
    expect(await served({ blockchainId: ids(OTHER) })).not.toHaveProperty("subnetId");
  });
});
