import { decodePBlock } from "../../core/formats/codec/blocks/p-blocks.ts";
import { decodeContainer } from "../../core/formats/codec/blocks/proposer-blocks.ts";
import { decodeXBlock } from "../../core/formats/codec/blocks/x-blocks.ts";
import { decodeAtomicTransactions } from "../../core/formats/codec/transactions/atomic-transactions.ts";
import { decodeCBlock } from "../../indexer/primary/decode/c-blocks.ts";
import { parseCheckedHex } from "../../indexer/primary/fetch/checked-hex.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import type { Line } from "./table.ts";

const ROUNDS = 20;
const ROUND_SECONDS = 0.1;

/** Speed of decoding the blocks of the bundled recording in memory: medians of all rounds. */
export interface Decoding {
  readonly name: string;
  /** Per second of processor time, that is, on one core. */
  readonly containersPerSecond: number;
  /** The same without the ProposerVM wrappers. */
  readonly blocksPerSecond: number;
  readonly bytesPerContainer: number;
}

const DECODERS: Readonly<Record<string, (block: Uint8Array) => unknown>> = {
  P: decodePBlock,
  X: decodeXBlock,
  C: (block) => decodeAtomicTransactions(decodeCBlock(block).extraData),
};

/** Decodes the blocks of each chain repeatedly, including all ids and hashes. */
export function measureDecoding(): Decoding[] {
  const recording = openRecording(ALPHA);
  return Object.entries(DECODERS).map(([chain, decode]) => {
    const containers = recording
      .calls(`/ext/index/${chain}/block`, "index.getContainerByIndex")
      .filter(({ kind }) => kind === "result")
      .map(({ text }) => parseCheckedHex((JSON.parse(text) as { bytes: string }).bytes, "container"));
    const blocks = containers.map((container) => decodeContainer(container).block);
    const size = containers.reduce((sum, { byteLength }) => sum + byteLength, 0);
    return {
      name: `${chain}-Chain`,
      containersPerSecond: rateOf(containers, (container) => decode(decodeContainer(container).block)),
      blocksPerSecond: rateOf(blocks, decode),
      bytesPerContainer: size / containers.length,
    };
  });
}

/** Decoded items per second of processor time, which other load on the machine hardly changes. */
function rateOf(all: readonly Uint8Array[], decode: (bytes: Uint8Array) => unknown): number {
  const rates = Array.from({ length: ROUNDS + 1 }, () => {
    const start = cpuSeconds();
    let decoded = 0;
    do {
      for (const bytes of all) decode(bytes);
      decoded += all.length;
    } while (cpuSeconds() - start < ROUND_SECONDS);
    return decoded / (cpuSeconds() - start);
  });
  const [, ...warm] = rates;
  return warm.sort((one, other) => one - other)[ROUNDS >> 1] as number;
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

const count = (value: number): string => Math.round(value).toLocaleString("en");

export function decodingLines(measured: readonly Decoding[]): Line[] {
  const header = ["decoding", "", "containers/s", "blocks/s", "bytes/container"];
  const rows = measured.map(({ name, containersPerSecond, blocksPerSecond, bytesPerContainer }) => [
    name,
    "one core",
    count(containersPerSecond),
    count(blocksPerSecond),
    count(bytesPerContainer),
  ]);
  return [header, ...rows];
}
