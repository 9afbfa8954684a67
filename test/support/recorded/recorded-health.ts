import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const FOLDER = join(import.meta.dirname, "../../../recordings/node-http");

export interface RecordedCheck {
  readonly message?: unknown;
  readonly error?: string;
  readonly timestamp: string;
  readonly duration: number;
  readonly contiguousFailures?: number;
  readonly timeOfFirstFailure?: string;
}

/** One answer of a real node. */
export interface RecordedHealth {
  readonly path: string;
  readonly status: number;
  readonly text: string;
  readonly healthy: boolean;
  readonly checks: Readonly<Record<string, RecordedCheck>>;
}

interface Line {
  readonly request: { readonly verb: string; readonly path: string };
  readonly response: { readonly status?: number; readonly body?: unknown };
}

/** The health reports that a node returned to GET requests, in order. Refused connections and answers without a report are left out. */
export function recordedHealth(file: string): RecordedHealth[] {
  const lines = gunzipSync(readFileSync(join(FOLDER, `${file}.jsonl.gz`)))
    .toString("utf8")
    .trim()
    .split("\n");
  return lines.flatMap((line) => {
    const { request, response } = JSON.parse(line) as Line;
    const { status, body } = response;
    if (request.verb !== "GET" || !status || typeof body !== "string" || !body.startsWith("{")) return [];
    const { healthy, checks } = JSON.parse(body) as Pick<RecordedHealth, "healthy" | "checks">;
    return [{ path: request.path, status, text: body, healthy, checks }];
  });
}

/** A time that a node printed, in nanoseconds since the epoch. */
export function epochNs(text: string): bigint {
  const [, seconds = "", fraction = ""] = /^(.{19})\.?(\d*)Z$/.exec(text) ?? [];
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}
