import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { goDurationMs } from "../../../core/config/settings/go-duration.ts";
import { parseHex } from "../../../indexer/primary/fetch/checked-hex.ts";
import { type NetworkFacts, networkFacts } from "../../../indexer/primary/network/network.ts";
import { defaultRules, parseDynamicFees, parseL1Fees, parseUpgrades } from "../../../indexer/primary/network/rules.ts";
import type { RawBlockEntry } from "../../../indexer/primary/raw-blocks/entries.ts";
import type { AtomicBlock } from "../../../indexer/primary/replay/atomic.ts";
import { isFullRun } from "../full.ts";
import { factsOf, parseExactly, resultsIn, snapshotsOf } from "./primary-vectors.ts";

/** The data of a recording for a replay. */
export interface PrimaryRecording {
  readonly network: NetworkFacts;
  readonly entries: { readonly P: readonly RawBlockEntry[]; readonly X: readonly RawBlockEntry[] };
  /** Number of vertices among the entries of X. */
  readonly vertexCount: number;
  /** Every block of the C-Chain. */
  readonly atomicBlocks: readonly AtomicBlock[];
}

/** Reads a recording's genesis, rules, blocks and vertices, like from a node with all indexes. */
export function readPrimaryRecording(folder: string): PrimaryRecording {
  const text = (file: string) => readFileSync(join(folder, file), "utf8");
  const { networkID } = factsOf(folder);
  const { platformGenesisBytes } = JSON.parse(text("genesis-bytes.json")) as { platformGenesisBytes: string };
  const last = snapshotsOf(folder).at(-1) as string;
  const answer = (method: string) => JSON.parse(resultsIn(folder, last, method)[0]?.text ?? "null") as unknown;
  const network = networkFacts(networkID, parseHex(platformGenesisBytes, "genesis"), {
    ...defaultRules(networkID),
    rewards: stakingRulesOf(folder, networkID),
    upgrades: parseUpgrades(JSON.parse(text("upgrades.json"))),
    l1Fees: parseL1Fees(answer("platform.getValidatorFeeConfig")),
    dynamicFees: parseDynamicFees(answer("platform.getFeeConfig")),
  });
  const vertices = containers(folder, "index-x-vtx", true);
  return {
    network,
    entries: {
      P: numbered([
        firstBlock(folder, "p-blocks", "platform.getBlockByHeight"),
        ...containers(folder, "index-p-block"),
      ]),
      X: numbered([
        ...vertices,
        firstBlock(folder, "x-blocks", "avm.getBlockByHeight"),
        ...containers(folder, "index-x-block"),
      ]),
    },
    vertexCount: vertices.length,
    atomicBlocks: atomicBlocks(folder),
  };
}

/** The staking rewards in the flags of the recorded node. */
function stakingRulesOf(folder: string, networkId: number): NetworkFacts["rewards"] {
  const flags = JSON.parse(readFileSync(join(folder, "flags.json"), "utf8")) as Readonly<Record<string, string>>;
  const { rewards } = defaultRules(networkId);
  return {
    ...rewards,
    mintingPeriodSeconds: BigInt((goDurationMs(flags["stake-minting-period"] ?? "") ?? 0) / 1_000),
    maxValidatorStake: BigInt(flags["max-validator-stake"] ?? rewards.maxValidatorStake),
  };
}

type Unnumbered = Omit<RawBlockEntry, "seq">;

const numbered = (entries: readonly Unnumbered[]): RawBlockEntry[] => entries.map((entry, seq) => ({ ...entry, seq }));

function containers(folder: string, file: string, isVertex = false): Unnumbered[] {
  return resultsIn(folder, file, "index.getContainerByIndex").map(({ text }) => {
    const { bytes, timestamp } = JSON.parse(text) as { bytes: string; timestamp: string };
    const acceptedAt = Math.floor(Date.parse(timestamp) / 1_000);
    return { isVertex, payload: parseHex(bytes, file).subarray(0, -4), acceptedAt };
  });
}

function firstBlock(folder: string, file: string, method: string): Unnumbered {
  const found = resultsIn(folder, file, method).find(
    ({ params }) => params["height"] === 0 && params["encoding"] === "hexnc",
  );
  const { block } = JSON.parse(found?.text ?? "null") as { block: string };
  return { isVertex: false, payload: parseHex(block, file), acceptedAt: null };
}

function atomicBlocks(folder: string): AtomicBlock[] {
  const byNumber = new Map<number, AtomicBlock>();
  for (const { text } of resultsIn(folder, "c-blocks", "eth_getBlockByNumber")) {
    const { number, hash, timestamp, blockExtraData } = JSON.parse(text) as Record<string, string>;
    const one = { number: Number(number), hash: String(hash).slice(2), timestamp: Number(timestamp) };
    byNumber.set(one.number, { ...one, extData: parseHex(blockExtraData, "extra data") });
  }
  return [...byNumber.values()].sort((one, other) => one.number - other.number);
}

/** A snapshot of a recording: heights, and the node's answers at these heights. */
export interface Snapshot {
  readonly name: string;
  /** `X` is null before the linearisation; then the number of vertices is the height. */
  readonly heights: { readonly P: number; readonly X: number | null; readonly vertices?: number; readonly c: number };
  /** Results of a method with their params; numbers as text. */
  answers(method: string): { params: Readonly<Record<string, unknown>>; result: unknown }[];
}

/** The snapshots of a recording, oldest first. */
export function readSnapshots(folder: string): Snapshot[] {
  return snapshotsOf(folder).map((name) => ({
    name,
    heights: heightsOf(folder, name),
    answers: (method) =>
      resultsIn(folder, name, method).map(({ params, text }) => ({ params, result: parseExactly(text) })),
  }));
}

/** Every snapshot in a full run, otherwise every second snapshot, including the last. */
export function sampledSnapshots(folder: string): Snapshot[] {
  return readSnapshots(folder).filter((_, index, { length }) => isFullRun || (length - index) % 2 === 1);
}

function heightsOf(folder: string, name: string): Snapshot["heights"] {
  const [first = ""] = gunzipSync(readFileSync(join(folder, `${name}.jsonl.gz`)))
    .toString("utf8")
    .split("\n", 1);
  return (JSON.parse(first) as { heights: Snapshot["heights"] }).heights;
}
