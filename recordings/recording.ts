import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Answer } from "./answers.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { paramsKey } from "./params-key.ts";
import { createTextFile, type TextFile, type TextPlace } from "./text-file.ts";

/** A recorded call with its parameters as they were sent. */
export interface RecordedCall extends Answer {
  readonly params: unknown;
}

/** A recorded HTTP answer that is not JSON-RPC, such as that of a health check. */
export interface Page {
  readonly path: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A recording of what the nodes of a network answered, byte for byte. */
export interface Recording {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Methods that were called at the path; empty if the path has no JSON-RPC. */
  methods(path: string): string[];
  /** True if the method was called at the path. */
  knows(path: string, method: string): boolean;
  /** The answer to a call in any spelling of its parameters (see `paramsKey`); undefined if it was not recorded. */
  answer(path: string, method: string, params?: unknown): Answer | undefined;
  /** All calls of a method at a path, in recorded order. */
  calls(path: string, method: string): RecordedCall[];
  /** The answer to a GET of a path with its query; undefined if it was not recorded. */
  page(pathAndQuery: string): Page | undefined;
}

/** Where the parts of a recorded call are in the file of its recording. */
interface StoredCall {
  readonly kind: Answer["kind"];
  readonly file: TextFile;
  readonly params: TextPlace;
  readonly text: TextPlace;
}

/** A call whose text is read from the file each time. */
class FiledCall implements RecordedCall {
  readonly kind: Answer["kind"];
  readonly params: unknown;
  readonly #file: TextFile;
  readonly #text: TextPlace;

  constructor({ kind, file, params, text }: StoredCall) {
    this.kind = kind;
    this.params = JSON.parse(file.read(params));
    this.#file = file;
    this.#text = text;
  }

  get text(): string {
    return this.#file.read(this.#text);
  }
}

/** The calls of a method at a path. */
interface Calls {
  add(call: StoredCall): void;
  /** The calls by `paramsKey`. */
  byParams(): ReadonlyMap<string, RecordedCall>;
}

type Methods = Map<string, Calls>;

const CALL = /^(\{"path":"([^"]*)","method":"([^"]*)","params":)(.*?),"status":\d+,"(result|error)":/;
const PAGE = /^\{"path":"[^"]*","http":/;

/** The last recordings that were opened. Recordings do not change, and reading one takes a second. */
const opened = new Map<string, Recording>();
const MOST_OPENED = 3;

/**
 * Reads a recording's folder. Its texts are decompressed into a temporary file. Results stay unparsed. Of the snapshots only the last one is read, taken at the end of
 * the recording, and only the calls to chains other than EVM chains. A folder that was opened recently is not read again.
 */
export function openRecording(folder: string): Recording {
  const recording = opened.get(folder) ?? readRecording(folder);
  opened.delete(folder);
  opened.set(folder, recording);
  for (const oldest of [...opened.keys()].slice(0, -MOST_OPENED)) opened.delete(oldest);
  return recording;
}

function readRecording(folder: string): Recording {
  const paths = new Map<string, Methods>();
  const pages = new Map<string, Page>();
  const file = createTextFile();
  for (const line of linesOf(folder, file)) {
    if (PAGE.test(line.text)) addPage(pages, line.text);
    else addCall(paths, line, file);
  }
  return {
    folder,
    manifest: readManifest(folder),
    methods: (path) => [...(paths.get(path)?.keys() ?? [])],
    knows: (path, method) => paths.get(path)?.has(method) ?? false,
    answer: (path, method, params) => paths.get(path)?.get(method)?.byParams().get(paramsKey(params)),
    calls: (path, method) => [...(paths.get(path)?.get(method)?.byParams().values() ?? [])],
    page: (pathAndQuery) => pages.get(pathAndQuery),
  };
}

/** A line, and where it starts in the file of the recording. */
interface Line {
  readonly text: string;
  readonly start: number;
}

function* linesOf(folder: string, file: TextFile): Iterable<Line> {
  for (const line of linesIn(lastSnapshot(folder), file)) if (!/^\{"path":"[^"]*\/rpc"/.test(line.text)) yield line;
  yield* linesIn(compressedIn(folder), file);
}

function lastSnapshot(folder: string): string[] {
  const snapshots = join(folder, "snapshots");
  return existsSync(snapshots) ? compressedIn(snapshots).sort().slice(-1) : [];
}

function compressedIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl.gz"))
    .map((name) => join(folder, name));
}

function* linesIn(paths: readonly string[], file: TextFile): Iterable<Line> {
  for (const path of paths) {
    const bytes = gunzipSync(readFileSync(path));
    let start = file.append(bytes);
    for (const text of bytes.toString("utf8").split("\n")) {
      if (text.startsWith('{"path":')) yield { text, start };
      start += Buffer.byteLength(text) + 1;
    }
  }
}

/** Adds a recorded call. Lines without result and error are plain text answers (404) of paths without JSON-RPC, and are skipped. */
function addCall(paths: Map<string, Methods>, { text: line, start }: Line, file: TextFile): void {
  const found = CALL.exec(line);
  if (!found) return;
  const [head, beforeParams = "", path = "", method = "", params = "", kind] = found;
  const methods = entry(paths, path, () => new Map<string, Calls>());
  const calls = entry(methods, method, createCalls);
  const headLength = Buffer.byteLength(head);
  calls.add({
    kind: kind === "error" ? "error" : "result",
    file,
    params: { start: start + Buffer.byteLength(beforeParams), length: Buffer.byteLength(params) },
    text: { start: start + headLength, length: Buffer.byteLength(line) - headLength - 1 },
  });
}

/** Parameters are parsed when the method is asked for, which takes half of the time to read a recording. */
function createCalls(): Calls {
  const unread: StoredCall[] = [];
  const calls = new Map<string, RecordedCall>();
  return {
    add: (call) => void unread.push(call),
    byParams() {
      for (const stored of unread.splice(0)) {
        const call = new FiledCall(stored);
        calls.set(paramsKey(call.params), call);
      }
      return calls;
    },
  };
}

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(copyOf(key), value);
  return value;
}

function addPage(pages: Map<string, Page>, line: string): void {
  const page: Page = JSON.parse(line);
  pages.set(page.path, page);
}

/** A copy of a text. A part of a longer text keeps all of the longer one in memory. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
