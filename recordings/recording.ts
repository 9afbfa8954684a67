import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Answer } from "./answers.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { paramsKey } from "./params-key.ts";

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

/** A recorded call whose parameters are not parsed. */
interface UnreadCall extends Answer {
  readonly paramsText: string;
}

/** The calls of a method at a path. */
interface Calls {
  add(call: UnreadCall): void;
  /** The calls by `paramsKey`. */
  byParams(): ReadonlyMap<string, RecordedCall>;
}

type Methods = Map<string, Calls>;

const CALL = /^\{"path":"([^"]*)","method":"([^"]*)","params":(.*?),"status":\d+,"(result|error)":/;
const PAGE = /^\{"path":"[^"]*","http":/;

/** The last recordings that were opened. Recordings do not change, and reading one takes a second. */
const opened = new Map<string, Recording>();
const MOST_OPENED = 3;

/**
 * Reads a recording's folder into memory. Results stay unparsed. Of the snapshots only the last one is read, taken at the end of
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
  for (const line of linesOf(folder)) {
    if (PAGE.test(line)) addPage(pages, line);
    else addCall(paths, line);
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

function* linesOf(folder: string): Iterable<string> {
  for (const line of linesIn(lastSnapshot(folder))) if (!/^\{"path":"[^"]*\/rpc"/.test(line)) yield line;
  yield* linesIn(compressedIn(folder));
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

function* linesIn(files: readonly string[]): Iterable<string> {
  for (const file of files) {
    const text = gunzipSync(readFileSync(file)).toString("utf8");
    for (const line of text.split("\n")) if (line.startsWith('{"path":')) yield line;
  }
}

/** Adds a recorded call. Lines without result and error are plain text answers (404) of paths without JSON-RPC, and are skipped. */
function addCall(paths: Map<string, Methods>, line: string): void {
  const found = CALL.exec(line);
  if (!found) return;
  const [head, path = "", method = "", paramsText = "", kind] = found;
  const text = line.slice(head.length, -1);
  const methods = entry(paths, path, () => new Map<string, Calls>());
  const calls = entry(methods, method, createCalls);
  calls.add({ kind: kind === "error" ? "error" : "result", text, paramsText });
}

/** Parameters are parsed when the method is asked for, which takes half of the time to read a recording. */
function createCalls(): Calls {
  const unread: UnreadCall[] = [];
  const calls = new Map<string, RecordedCall>();
  return {
    add: (call) => void unread.push(call),
    byParams() {
      for (const { kind, text, paramsText } of unread.splice(0)) {
        const params: unknown = JSON.parse(paramsText);
        calls.set(paramsKey(params), { kind, text, params });
      }
      return calls;
    },
  };
}

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}

function addPage(pages: Map<string, Page>, line: string): void {
  const page: Page = JSON.parse(line);
  pages.set(page.path, page);
}
