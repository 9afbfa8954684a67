import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { parseCheckedHex, parseHex } from "../../../indexer/primary/fetch/checked-hex.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { isFullRun } from "../full.ts";

/** Data next to the repository and not part of it: other recordings and published data. */
const BESIDE = fileURLToPath(new URL("../../../../shared/fixtures", import.meta.url));

/** A folder next to the repository, and the titles of its tests, with a reason if it is absent. */
export interface Beside {
  readonly folder: string;
  readonly isHere: boolean;
  title(text: string): string;
}

/** A folder of data that may be absent, by its path in `shared/fixtures`. */
export function beside(path: string): Beside {
  const folder = join(BESIDE, path);
  const isHere = existsSync(folder);
  const reason = isHere ? "" : ` (skipped: shared/fixtures/${path} is not beside the repository)`;
  return { folder, isHere, title: (text) => text + reason };
}

/** The main recordings of real networks that come with the project. */
const RECORDINGS = ["alpha", "gamma", "delta"] as const;
/** The same, with one of auto-renewed validators, which has few other data. */
const ALL_RECORDINGS = [...RECORDINGS, "helicon"] as const;
/** The first three, with one whose C-Chain crosses Helicon and whose other chains have few blocks. */
const C_CHAINS = [...RECORDINGS, "streaming"] as const;
type RecordingName = (typeof ALL_RECORDINGS | typeof C_CHAINS)[number];

/** `describe`, or `describe.skip` if the data is absent. */
export function describeWhere({ isHere, title }: Beside, text: string, tests: () => void): void {
  (isHere ? describe : describe.skip)(title(text), tests);
}

interface RecordingsOptions {
  /** Number of recordings that a sampled run (`npm test`) uses. Default: all. The title determines which ones. */
  readonly inShortForm?: number;
}

/** Runs the same tests over each of the recordings alpha, gamma and delta. */
export function describeRecordings(
  text: string,
  tests: (folder: string) => void,
  options: RecordingsOptions = {},
): void {
  describeEach(RECORDINGS, text, tests, options);
}

/** Runs the same tests over each of the recordings alpha, gamma, delta and helicon. */
export function describeAllRecordings(
  text: string,
  tests: (folder: string) => void,
  options: RecordingsOptions = {},
): void {
  describeEach(ALL_RECORDINGS, text, tests, options);
}

/** Runs the same tests over each recording with many C-Chain blocks: alpha, gamma, delta and streaming. */
export function describeCChains(text: string, tests: (folder: string) => void, options: RecordingsOptions = {}): void {
  describeEach(C_CHAINS, text, tests, options);
}

function describeEach(
  names: readonly RecordingName[],
  text: string,
  tests: (folder: string) => void,
  { inShortForm = names.length }: RecordingsOptions,
): void {
  const start = isFullRun ? 0 : [...text].reduce((sum, character) => sum + character.charCodeAt(0), 0);
  const count = isFullRun ? names.length : Math.min(inShortForm, names.length);
  const chosen = names.map((_, i) => names[(start + i) % names.length] as RecordingName).slice(0, count);
  for (const name of chosen) describe(`${text} of the recording ${name}`, () => tests(recordingFolder(name)));
}

/** The folder of a recording. */
export function recordingFolder(name: RecordingName): string {
  return join(ALPHA, "..", name);
}

/** The facts of the primary network in a recording's manifest. */
export interface RecordedFacts {
  readonly networkID: number;
  readonly hrp: string;
  readonly heights: { readonly P: number; readonly X: number; readonly c: number };
  readonly chains: readonly { readonly alias: string; readonly blockchainId: string; readonly genesisHash: string }[];
  readonly counts: {
    readonly pBlocks: Counts;
    readonly pTxs: Counts;
    readonly xTxs: Counts;
    readonly evm: { readonly c: { readonly atomic: Counts } };
  };
  /** Only if the X-Chain started as a DAG. */
  readonly stopVertexID?: string;
  readonly dag?: { readonly vertices: number; readonly transactions: number; readonly maxHeight: number };
}

type Counts = Readonly<Record<string, number>>;

export function factsOf(folder: string): RecordedFacts {
  return JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
}

/** Number of occurrences of each word. */
export function counted(words: readonly string[]): Counts {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

export function totalOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** A recorded answer: the params, and the text of the node's result. */
export interface RecordedResult {
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const CALL = /^\{"path":"([^"]*)","method":"([^"]*)","params":(.*?),"status":\d+,"result":/;

/** The answers without errors to one or several methods in a file of a recording, in order. */
export function resultsIn(folder: string, file: string, ...methods: readonly string[]): RecordedResult[] {
  const lines = gunzipSync(readFileSync(join(folder, `${file}.jsonl.gz`)))
    .toString("utf8")
    .split("\n");
  return lines.flatMap((line) => {
    const [head, path = "", found = "", params = ""] = CALL.exec(line) ?? [];
    return head !== undefined && methods.includes(found)
      ? [{ path, params: JSON.parse(params), text: line.slice(head.length, -1) }]
      : [];
  });
}

/** Id and bytes of a container in a chain's index. */
export interface RecordedContainer {
  readonly id: string;
  readonly bytes: Uint8Array;
}

export function containersOf(folder: string, index: string): RecordedContainer[] {
  return resultsIn(folder, index, "index.getContainerByIndex").map(({ text }) => {
    const { id, bytes } = JSON.parse(text) as { id: string; bytes: string };
    return { id, bytes: parseCheckedHex(bytes, id) };
  });
}

/** An answer in bytes, and the same in the node's JSON. */
export interface RecordedPair {
  readonly bytes: Uint8Array;
  readonly json: unknown;
}

/** Answers of a method that were recorded both in bytes (`hexnc`) and in JSON, by params. */
export function pairsOf(folder: string, file: string, method: string, member: "block" | "tx"): RecordedPair[] {
  const byKey = new Map<string, { bytes?: Uint8Array; json?: unknown }>();
  for (const { params, text } of resultsIn(folder, file, method)) {
    const { encoding, ...asked } = params;
    const pair = byKey.get(JSON.stringify(asked)) ?? {};
    byKey.set(JSON.stringify(asked), pair);
    if (encoding === "hexnc") pair.bytes = parseHex(JSON.parse(text)[member], member);
    if (encoding === "json") pair.json = (parseExactly(text) as Record<string, unknown>)[member];
  }
  return [...byKey.values()].map(({ bytes, json }) => {
    if (!bytes || json === undefined) throw new Error(`${file} has ${method} in one encoding only`);
    return { bytes, json };
  });
}

/** Every output in the node's answers of a recording: each distinct text once. */
export function utxoTextsOf(folder: string): string[] {
  const answers = [
    ...["p-txs", "p-genesis-txs"].flatMap((file) => resultsIn(folder, file, "platform.getRewardUTXOs")),
    ...snapshotsOf(folder).flatMap((file) =>
      resultsIn(folder, file, "platform.getUTXOs", "avm.getUTXOs", "avax.getUTXOs"),
    ),
  ];
  return [...new Set(answers.flatMap(({ text }) => (JSON.parse(text) as { utxos: string[] }).utxos))];
}

/** P-Chain blocks of another network, index 0 to 220. */
export const FLARE = beside("external/p-chain-flare");

export function flareContainers(): RecordedContainer[] {
  const blocks = JSON.parse(readFileSync(join(FLARE.folder, "blocks.json"), "utf8")) as (Record<
    "id" | "bytes",
    string
  > & {
    index: string;
  })[];
  return blocks
    .toSorted((one, other) => Number(one.index) - Number(other.index))
    .map(({ id, bytes }) => ({ id, bytes: parseCheckedHex(bytes, id) }));
}

/** Transactions of that network and their reward outputs, from a node. */
export function flareTransactions(): { readonly id: string; readonly tx: string; readonly utxos: readonly string[] }[] {
  return JSON.parse(readFileSync(join(FLARE.folder, "rpc.json"), "utf8"));
}

/** Single P-Chain blocks of mainnet, with the results of independent parsers. */
export const MAINNET = beside("external/p-chain-mainnet");

export function mainnetContainers(): (RecordedContainer & { readonly index: number; readonly json: unknown })[] {
  return readdirSync(join(MAINNET.folder, "ins"))
    .map((file) => Number(file.replace(".json", "")))
    .sort((one, other) => one - other)
    .map((index) => {
      const { ID: id, Bytes } = JSON.parse(readFileSync(join(MAINNET.folder, "ins", `${index}.json`), "utf8"));
      const json = parseExactly(readFileSync(join(MAINNET.folder, "outs", `${index}.json`), "utf8"));
      return { index, id, bytes: Buffer.from(Bytes, "base64"), json };
    });
}

/** A C-Chain of 22 blocks that crosses every fork up to Granite. */
export const FORKS = beside("external/c-chain-forks");

/** Its blocks, its node's answers, and its node's database in hex. */
export interface ForksFixture {
  readonly blocks: readonly {
    readonly number: number;
    readonly fork: string;
    readonly hash: string;
    readonly rlp: string;
  }[];
  readonly rpcCalls: readonly {
    readonly method: string;
    readonly params: readonly unknown[];
    readonly result: unknown;
  }[];
  readonly database: Readonly<Record<string, string>>;
}

export function forksFixture(): ForksFixture {
  return JSON.parse(readFileSync(join(FORKS.folder, "fixture.json"), "utf8"));
}

/** The key prefix before the id of an atomic transaction in that node's database. */
const BY_ID = "0x1990989c4774fcaf79db9ad8f682c506a18347ef870b62ba0eb4b30369a925f6";

/** Its atomic transactions by id in hex, with block height and bytes, from the node's database. */
export function atomicTransactionsIn({ database }: ForksFixture): { id: string; height: number; bytes: Uint8Array }[] {
  return Object.entries(database).flatMap(([key, value]) => {
    if (!key.startsWith(BY_ID)) return [];
    const kept = Buffer.from(parseHex(value, key));
    const bytes = kept.subarray(12, 12 + kept.readUInt32BE(8));
    return [{ id: key.slice(BY_ID.length), height: Number(kept.readBigUInt64BE()), bytes }];
  });
}

/** JSON with every number as its decimal text, so that none loses digits. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d+/g, (token) => (token[0] === '"' ? token : `"${token}"`)));
}

/** Names of a recording's snapshots, oldest first. */
export function snapshotsOf(folder: string): string[] {
  return readdirSync(join(folder, "snapshots"))
    .map((file) => join("snapshots", file.replace(/\.jsonl\.gz$/, "")))
    .sort();
}
