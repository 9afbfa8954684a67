import { formatId } from "../../../core/formats/id-text.ts";
import { createChains } from "../../../core/networks/chains.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { chainNamed } from "../../../recordings/manifest.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../../recordings/replay-node.ts";
import { createChainStore } from "../../../subgraphs/evm/chains/store.ts";
import { testConfig } from "../../../test/support/config.ts";
import { type ReplayedPrimary, replayPrimary } from "../../../test/support/indexed/replayed-primary.ts";
import { createLogLines } from "../../../test/support/log-lines.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { createPlaceCheck } from "./place.ts";

const NETWORK_ID = 76001;
const EVM_CHAIN_ID = 760012;
/** A proxy, whose path does not name a blockchain. */
const PROXY = "http://127.0.0.1:1/my-l1";
/** Ids that no recorded network has. */
const [FOREIGN_SUBNET, FOREIGN_BLOCKCHAIN] = [formatId("ab".repeat(32)), formatId("cd".repeat(32))];
const PRIMARY_SUBNET = formatId("00".repeat(32));

let node: ReplayNode;
let database: ReplayedPrimary;
let writer: Writer;
/** Subnet id by the name of its blockchain. */
let subnets: ReadonlyMap<string, string>;
let l1: { readonly blockchainId: string; readonly subnetId: string; readonly vmId: string };

beforeAll(async () => {
  node = await startReplayNode({ heads: "full" });
  database = await replayPrimary(ALPHA);
  writer = (await tryBecomeWriter(database.url, "a chain")) as Writer;
  const recorded = node.recording.manifest.chains.find(({ evmChainId }) => evmChainId === EVM_CHAIN_ID);
  if (!recorded) throw new Error("the recording has no L1");
  const { blockchainId, subnetId, vmId } = recorded;
  l1 = { blockchainId, subnetId, vmId };
  const { rows } = await database.pool.query<{ name: string; subnet: string }>(
    "SELECT name, encode(subnet_id, 'hex') AS subnet FROM blockchains",
  );
  subnets = new Map(rows.map(({ name, subnet }) => [name, formatId(subnet)]));
});
beforeEach(async () => {
  await database.pool.query("TRUNCATE chain_progress, primary_progress, chain_places");
  await setIndexState("FOLLOWING");
});
afterAll(async () => {
  await writer[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
});

/** Sets the state of the P-Chain's index. */
async function setIndexState(state: string): Promise<void> {
  await database.pool.query("DELETE FROM primary_progress");
  await database.pool.query("INSERT INTO primary_progress VALUES ($1, 'P', $2, NULL, 1, 1, 1, 1700000000)", [
    NETWORK_ID,
    state,
  ]);
}

interface Settings {
  readonly chainId?: number;
  readonly network?: string;
  readonly nodeUrl?: string;
  readonly blockchainId?: string;
  readonly subnetId?: string;
  readonly vmId?: string;
}

/** The check of a chain with these settings, beside the recorded network as `fuji`. */
function checkOf(settings: Settings) {
  const entry = { chainId: EVM_CHAIN_ID, network: "fuji", nodeUrl: PROXY, chainName: "An L1", ...settings };
  const config = testConfig({ evmChains: [entry] });
  const [chain] = config.evmChains;
  if (!chain) throw new Error("the settings have no chain");
  const { logger, lines } = createLogLines("info");
  const clock = { now: 0, nowMs: () => clock.now };
  const primaryNetworks = [{ network: "fuji", networkId: NETWORK_ID }] as const;
  const check = createPlaceCheck({ chain, primaryNetworks, writer, logger, clock });
  const served = async () => {
    await database.pool.query(
      "INSERT INTO chain_progress VALUES ($1, 'FOLLOWING', NULL, 1, 1, 1, 1700000000) ON CONFLICT DO NOTHING",
      [chain.chainId],
    );
    return createChainStore(database, createChains(config)).require(String(chain.chainId), SERVICE_WORK);
  };
  return { check, served, clock, lines };
}

const servedPlace = () => ({
  isTestnet: true,
  platformChainId: l1.blockchainId,
  subnetId: l1.subnetId,
  vmId: l1.vmId,
  areIdsVerified: true,
});

describe("the blockchain of an L1 without blockchainId", () => {
  it("is the one whose id is in nodeUrl", async () => {
    const nodeUrl = `${node.url}/ext/bc/${l1.blockchainId}/rpc`;
    const { check, served, lines } = checkOf({ nodeUrl });
    await check();
    expect(await served()).toMatchObject(servedPlace());
    expect(lines).toEqual([]);
  });

  it.each<readonly [string, () => Settings, RegExp]>([
    ["subnetId", () => ({ subnetId: subnets.get("Paper L1 0") }) as Settings, /: subnetId is \w+, not \w+; correct/],
    ["vmId", () => ({ vmId: FOREIGN_SUBNET }), /: vmId is \w+, not \w+; correct/],
    ["network", () => ({ network: "mainnet" }), /: network is mainnet, not fuji; correct/],
  ])("is the one in nodeUrl, and a contradictory %s stops the chain", async (_, settings, message) => {
    const { check, served } = checkOf({
      nodeUrl: `https://proxy.example/ext/bc/${l1.blockchainId}/rpc`,
      ...settings(),
    });
    await expect(check()).rejects.toThrow(message);
    await expect(check()).rejects.toThrow(`index of fuji, which has blockchain ${l1.blockchainId}: `);
    expect(await served()).toMatchObject(servedPlace());
  });

  it("is the one that the node has for the alias in nodeUrl", async () => {
    const { blockchainId } = chainNamed(node.recording.manifest, "C") ?? {};
    const nodeUrl = `${node.url}/ext/bc/evm/rpc`;
    const { check, served } = checkOf({ nodeUrl, chainId: 760011, network: "mainnet", vmId: FOREIGN_SUBNET });
    await expect(check()).rejects.toThrow(
      `index of fuji, which has blockchain ${blockchainId}: network is mainnet, not fuji, vmId is ${FOREIGN_SUBNET}`,
    );
    expect(await served()).toMatchObject({ platformChainId: blockchainId, subnetId: PRIMARY_SUBNET });
  });

  it("is the one with its EVM chain id in its subnet, if nodeUrl is that of a proxy", async () => {
    const { check, served } = checkOf({ subnetId: l1.subnetId });
    await check();
    expect(await served()).toMatchObject(servedPlace());
    const wrong = checkOf({ subnetId: l1.subnetId, vmId: FOREIGN_SUBNET, network: "mainnet" });
    await expect(wrong.check()).rejects.toThrow(
      `which has blockchain ${l1.blockchainId}: network is mainnet, not fuji, vmId is ${FOREIGN_SUBNET}, not ${l1.vmId}`,
    );
  });

  it("is the one with its VM, if its subnet has two with its EVM chain id", async () => {
    const setEvmChainId = (id: number | null) =>
      database.pool.query("UPDATE blockchains SET evm_chain_id = $1 WHERE name = 'Permissioned two'", [id]);
    await setEvmChainId(88001);
    const settings = { chainId: 88001, subnetId: subnets.get("Permissioned one") as string };
    const vmId = formatId("07".repeat(32));
    const exact = checkOf({ ...settings, vmId });
    await exact.check();
    expect(await exact.served()).toMatchObject({ areIdsVerified: true, ...settings, chainId: "88001", vmId });
    const ambiguous = checkOf(settings);
    await ambiguous.check();
    expect(await ambiguous.served()).toMatchObject({ areIdsVerified: false, platformChainId: null });
    await setEvmChainId(null);
  });
});

describe("a subnetId that the P-Chain's index refutes", () => {
  it("stops the chain, and no id is served, if the subnet has no blockchain with its EVM chain id", async () => {
    const subnetId = subnets.get("Paper L1 0") as string;
    const { check, served } = checkOf({ subnetId, vmId: l1.vmId });
    await expect(check()).rejects.toThrow(
      new RegExp(
        `^the settings of chain 760012 contradict the P-Chain's index of fuji: subnetId is ${subnetId}, but this subnet has no blockchain with EVM chain id 760012, only \\w+; correct subnetId, or set blockchainId$`,
      ),
    );
    const chain = await served();
    expect(chain).toMatchObject({ areIdsVerified: false, platformChainId: null });
    expect(chain).not.toHaveProperty("subnetId");
    expect(chain).not.toHaveProperty("vmId");
  });

  it("stops the chain if the subnet does not have the blockchain that the settings name", async () => {
    const { check } = checkOf({ subnetId: l1.subnetId, blockchainId: FOREIGN_BLOCKCHAIN });
    await expect(check()).rejects.toThrow(
      `subnetId is ${l1.subnetId}, but this subnet has no blockchain ${FOREIGN_BLOCKCHAIN}, only ${l1.blockchainId}; correct subnetId`,
    );
  });

  it("does not stop the chain before the index has reached the head, because the blockchain may follow", async () => {
    await setIndexState("BACKFILLING");
    const { check, clock, lines } = checkOf({ subnetId: subnets.get("Paper L1 0") as string });
    await check();
    await setIndexState("FOLLOWING");
    clock.now = 59_000;
    await check();
    clock.now = 61_000;
    await expect(check()).rejects.toThrow(/this subnet has no blockchain with EVM chain id 760012/);
    expect(lines).toEqual([]);
  });

  it("does not stop the chain if the subnet has a blockchain whose genesis has no EVM chain id", async () => {
    await checkOf({ subnetId: subnets.get("Paper L1 1") as string }).check();
  });
});

it("a blockchainId of a chain with another EVM chain id stops the chain, and no id is served", async () => {
  const { check, served } = checkOf({ blockchainId: l1.blockchainId, chainId: 7 });
  await expect(check()).rejects.toThrow(
    `blockchainId names blockchain ${l1.blockchainId}, whose EVM chain id is 760012, not 7; correct blockchainId`,
  );
  expect(await served()).toMatchObject({ platformChainId: null, areIdsVerified: false });
});

describe("ids that no index can verify", () => {
  it.each<readonly [string, Settings, RegExp]>([
    [
      "behind a proxy",
      { subnetId: FOREIGN_SUBNET, vmId: FOREIGN_BLOCKCHAIN },
      /^the settings subnetId, vmId of chain 760012 are served unverified: nothing names its blockchain; set blockchainId$/,
    ],
    [
      "with the subnet of every primary network",
      { chainId: 7, subnetId: PRIMARY_SUBNET },
      /^the settings subnetId of chain 7 are served unverified: nothing names its blockchain/,
    ],
    [
      "with blockchainId",
      { subnetId: FOREIGN_SUBNET, blockchainId: FOREIGN_BLOCKCHAIN },
      /^the settings blockchainId, subnetId of chain 760012 are served unverified: no P-Chain that is indexed has blockchain/,
    ],
    [
      "with an alias that no node resolves",
      { vmId: FOREIGN_BLOCKCHAIN, nodeUrl: "http://127.0.0.1:1/ext/bc/mine/rpc" },
      /^the settings vmId of chain 760012 are served unverified: nothing names its blockchain/,
    ],
  ])("of a private chain %s are served, marked and logged once", async (_, settings, message) => {
    const { check, served, clock, lines } = checkOf(settings);
    for (clock.now = 0; clock.now < 200_000; clock.now += 61_000) await check();
    const { subnetId, vmId } = settings;
    expect(await served()).toMatchObject({
      areIdsVerified: false,
      ...(subnetId && { subnetId }),
      ...(vmId && { vmId }),
    });
    expect(lines).toEqual([expect.objectContaining({ level: 40, msg: expect.stringMatching(message) })]);
  });

  it("are not logged while the index has not reached the head, nor if there are none", async () => {
    await setIndexState("BACKFILLING");
    const early = checkOf({ subnetId: FOREIGN_SUBNET });
    await early.check();
    await setIndexState("FOLLOWING");
    const none = checkOf({});
    await none.check();
    expect([...early.lines, ...none.lines]).toEqual([]);
    expect(await none.served()).toMatchObject({ areIdsVerified: false, platformChainId: null });
  });

  it("replace those of another blockchain, which the settings named before", async () => {
    await checkOf({ subnetId: l1.subnetId }).check();
    const { check, served } = checkOf({ subnetId: FOREIGN_SUBNET });
    await check();
    const chain = await served();
    expect(chain).toMatchObject({ subnetId: FOREIGN_SUBNET, platformChainId: null, areIdsVerified: false });
    expect(chain).not.toHaveProperty("vmId");
  });
});
