import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ConfigError } from "../../../core/config/config.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { nodeJsonOf } from "../../../test/support/recorded/primary-json.ts";
import { beside, describeWhere, factsOf, parseExactly } from "../../../test/support/recorded/primary-vectors.ts";
import { decodePGenesis, type PGenesis } from "../network/p-genesis.ts";
import { decodeXGenesis, type GenesisAsset } from "../network/x-genesis.ts";
import { bundledGenesis, summariseGenesis } from "./genesis-summary.ts";
import { parseGenesisFile } from "./parse.ts";

const NETWORKS = [
  {
    networkId: 1,
    name: "mainnet",
    hrp: "avax",
    startTime: 1_599_696_000,
    id: "UUvXi6j7QhVvgpbKM89MP5HdrxKm9CaJeHc187TsDNf8nZdLk",
    xChainId: "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM",
    cChainId: "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5",
    avaxAssetId: "FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z",
    initialSupply: 359_999_999_999_990_210n,
    allocations: 5390,
    unlocks: 34_405,
    stakers: 75,
    stakeDays: 90,
    message: "From Snowflake to Avalanche. Per consensum ad astra.",
  },
  {
    networkId: 5,
    name: "fuji",
    hrp: "fuji",
    startTime: 1_599_696_000,
    id: "MSj6o9TpezwsQx4Tv7SHqpVvCbJ8of1ikjsqPZ1bKRjc9zBy3",
    xChainId: "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm",
    cChainId: "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
    avaxAssetId: "U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK",
    initialSupply: 360_000_000_000_000_000n,
    allocations: 11,
    unlocks: 1,
    stakers: 20,
    stakeDays: 365,
    message: "hi mom",
  },
] as const;

describe.each(NETWORKS)("the bundled genesis of $name", (known) => {
  it("has the network's ids, start time and supply", () => {
    const { id, xChainId, cChainId, avaxAssetId, platformBytes: _, ...summary } = summariseGenesis(known.networkId);
    expect([id, xChainId, cChainId, avaxAssetId].map(formatId)).toEqual([
      known.id,
      known.xChainId,
      known.cChainId,
      known.avaxAssetId,
    ]);
    expect(summary).toEqual({
      networkId: known.networkId,
      hrp: known.hrp,
      startTime: known.startTime,
      initialSupply: known.initialSupply,
    });
  });

  it("has the network's allocations and validators", () => {
    const { allocations, initialStakers, initialStakeDuration } = bundledGenesis(known.networkId);
    expect({
      allocations: allocations.length,
      unlocks: allocations.reduce((sum, { unlockSchedule }) => sum + unlockSchedule.length, 0),
      stakers: initialStakers.length,
      stakeDays: initialStakeDuration / 86_400,
    }).toEqual({
      allocations: known.allocations,
      unlocks: known.unlocks,
      stakers: known.stakers,
      stakeDays: known.stakeDays,
    });
  });

  describe("decoded by the codec", () => {
    let p: PGenesis;
    let avax: GenesisAsset;
    beforeAll(() => {
      p = decodePGenesis(summariseGenesis(known.networkId).platformBytes());
      [avax] = decodeXGenesis(p.chains[0]?.genesisData as Uint8Array) as [GenesisAsset];
    });

    it("equals the summary", () => {
      const { id, xChainId, cChainId, avaxAssetId, initialSupply } = summariseGenesis(known.networkId);
      expect(p).toMatchObject({ id, timestamp: known.startTime, initialSupply, message: known.message });
      expect([...p.chains.map((chain) => chain.id), avax.id]).toEqual([xChainId, cChainId, avaxAssetId]);
    });

    it("distributes exactly the supply on X, on P and in stakes", () => {
      const onX = avax.initialStates.flatMap(({ outputs }) => outputs).map(amountOf);
      const onP = p.utxos.map(({ output }) => amountOf(output));
      const staked = p.validators.map(({ validator }) => validator.weight);
      expect([...onX, ...onP, ...staked].reduce((sum, amount) => sum + amount, 0n)).toBe(known.initialSupply);
    });
  });
});

function amountOf(output: PGenesis["utxos"][number]["output"]): bigint {
  if (output.type === "stakeable.LockOut") return output.output.amount;
  return "amount" in output ? output.amount : 0n;
}

describe("the values that follow from a genesis", () => {
  it("are built once, and their bytes on each call", () => {
    const summary = summariseGenesis(5);
    expect(summariseGenesis(5)).toBe(summary);
    expect(summary.platformBytes()).toEqual(summary.platformBytes());
    expect(summary.platformBytes()).not.toBe(summary.platformBytes());
  });

  it("are built from the genesis file of a custom network", () => {
    const file = parseGenesisFile(gunzipSync(readFileSync(join(ALPHA, "genesis.json.gz"))).toString());
    const { hrp, networkId, startTime, id, platformBytes } = summariseGenesis(file);
    expect({ hrp, networkId }).toEqual({ hrp: factsOf(ALPHA).hrp, networkId: factsOf(ALPHA).networkID });
    expect(decodePGenesis(platformBytes())).toMatchObject({ id, timestamp: startTime });
  });

  it.each([0, 2, 12_345, 76_001])("of network %i are refused without a file", (networkId) => {
    expect(() => summariseGenesis(networkId)).toThrow(
      new ConfigError(
        `network ${networkId} needs its genesis file: only those of 1 (mainnet) and 5 (Fuji) are bundled`,
      ),
    );
  });
});

const files = beside("external/genesis");

describeWhere(files, "the bundled tables", () => {
  it.each(NETWORKS)("contain the genesis file of $name", ({ networkId, name }) => {
    const text = gunzipSync(readFileSync(join(files.folder, `${name}.json.gz`))).toString();
    expect(bundledGenesis(networkId)).toEqual(parseGenesisFile(text, name));
  });
});

interface Parsed {
  readonly parent: string;
  readonly transactions: readonly { readonly id: string; readonly unsignedTx: Readonly<Record<string, unknown>> }[];
  readonly data: { readonly message: string; readonly initialSupply: string };
}

const parses = beside("external/p-chain-mainnet");

describeWhere(parses, "the genesis, compared with independent parsers", () => {
  const parsed = (name: string) =>
    parseExactly(readFileSync(join(parses.folder, "outs", `${name}.json`), "utf8")) as Parsed;

  it.each([
    [1, "genesis"],
    [5, "genesis_fuji_txs"],
  ])("of network %i is the parent of block 0 and has the same supply and message", (networkId, name) => {
    const { parent, data } = parsed(name);
    const { id, initialSupply, platformBytes } = summariseGenesis(networkId);
    expect([formatId(id), String(initialSupply)]).toEqual([parent, data.initialSupply]);
    expect(decodePGenesis(platformBytes()).message).toBe(data.message);
  });

  it("of Fuji has the same transactions in the same order", () => {
    const { validators, chains } = decodePGenesis(summariseGenesis(5).platformBytes());
    const ours = [...validators, ...chains].map((one) => nodeJsonOf(one, { chain: "P", prefix: "fuji" }));
    expect(ours).toMatchObject(parsed("genesis_fuji_txs").transactions);
  });

  it("of mainnet has the same chains, whose genesis data the parsers omit", () => {
    const { chains } = decodePGenesis(summariseGenesis(1).platformBytes());
    const ours = chains.map((one) =>
      nodeJsonOf({ ...one, genesisData: Buffer.alloc(0) }, { chain: "P", prefix: "avax" }),
    );
    expect(ours).toMatchObject(parsed("genesis").transactions);
  });
});
