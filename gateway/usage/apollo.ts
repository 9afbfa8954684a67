import { hostname } from "node:os";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type IContextualizedStats, type ITracesAndStats, Report } from "@apollo/usage-reporting-protobuf";
import { calculateReferencedFieldsByType, usageReportingSignature } from "@apollo/utils.usagereporting";
import { request } from "undici";
import { oncePer } from "../../core/async/once.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { VERSION } from "../../core/observability/version.ts";
import {
  type AnsweredOperation,
  type ClientSoftware,
  LAST_REPORT_MS,
  type ReportedOperation,
  type UsageReporter,
} from "./reporter.ts";

const INTERVAL_MS = 10_000;
const TIMEOUT_MS = 10_000;
/** Operations in one report. Further ones are only counted, so that many different documents do not fill the memory. */
const MAX_OPERATIONS = 1_000;
/** Names and versions of clients for one operation. */
const MAX_CLIENTS = 100;

type ApolloSettings = NonNullable<Config["graphql"]["usageReporting"]["apollo"]>;

/** Reports to Apollo GraphOS: for each operation its signature without literals, its fields, and times and numbers for each client. */
export function createApolloReporter({ key, graphRef, endpoint }: ApolloSettings, logger: Logger): UsageReporter {
  const header = {
    graphRef,
    hostname: hostname(),
    agentVersion: `moraine@${VERSION}`,
    runtimeVersion: `node ${process.version}`,
  };
  const entryOf = oncePer(entryFor);
  let collected = createCollected();
  const send = async (timeoutMs: number): Promise<void> => {
    if (collected.count() === 0) return;
    const report = collected;
    collected = createCollected();
    try {
      const { statusCode, body } = await request(`${endpoint.replace(/\/$/, "")}/api/ingress/traces`, {
        method: "POST",
        headers: { "x-api-key": key, "content-encoding": "gzip", "user-agent": `moraine/${VERSION}` },
        body: await promisify(gzip)(Report.encode({ ...report.message(), header, endTime: now() }).finish()),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await body.dump();
      if (statusCode >= 300) throw new Error(`the server responds with HTTP ${statusCode}`);
    } catch (error) {
      logger.warn({ err: error }, "a usage report cannot be sent to Apollo");
    }
  };
  const timer = setInterval(() => void send(TIMEOUT_MS), INTERVAL_MS).unref();
  return {
    report: (answered) => collected.add(entryOf(answered.operation), answered),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await send(LAST_REPORT_MS);
    },
  };
}

function now(): { readonly seconds: number; readonly nanos: number } {
  const ms = Date.now();
  return { seconds: Math.floor(ms / 1_000), nanos: (ms % 1_000) * 1e6 };
}

/** What a report says of an operation. */
interface Entry {
  /** Name and signature. */
  readonly key: string;
  readonly referencedFieldsByType: NonNullable<ITracesAndStats["referencedFieldsByType"]>;
}

function entryFor({ name, document, schema }: ReportedOperation): Entry {
  return {
    key: `# ${name ?? "-"}\n${usageReportingSignature(document, name ?? "")}`,
    referencedFieldsByType: calculateReferencedFieldsByType({ document, schema, resolvedOperationName: name }),
  };
}

/** The operations since the last report. */
interface Collected {
  readonly count: () => number;
  add(entry: Entry, answered: AnsweredOperation): void;
  message(): Pick<Report, "operationCount" | "tracesPerQuery">;
}

function createCollected(): Collected {
  const operations = new Map<string, Entry & { readonly clients: Map<string, ClientStats> }>();
  let operationCount = 0;
  return {
    count: () => operationCount,
    add(entry, { client, durationNs, errors }) {
      operationCount += 1;
      const operation = operations.get(entry.key) ?? { ...entry, clients: new Map<string, ClientStats>() };
      if (operations.size < MAX_OPERATIONS) operations.set(entry.key, operation);
      const clientKey = JSON.stringify(client);
      const stats = operation.clients.get(clientKey) ?? { client, latencies: [], requestsWithErrors: 0, errors: 0 };
      if (operation.clients.size < MAX_CLIENTS) operation.clients.set(clientKey, stats);
      const bucket = bucketOf(durationNs);
      while (stats.latencies.length <= bucket) stats.latencies.push(0);
      stats.latencies[bucket] = (stats.latencies[bucket] ?? 0) + 1;
      stats.errors += errors;
      if (errors > 0) stats.requestsWithErrors += 1;
    },
    message() {
      const entries = [...operations.values()].map(({ key, referencedFieldsByType, clients }) => {
        return [key, { referencedFieldsByType, statsWithContext: [...clients.values()].map(statsMessage) }];
      });
      return { operationCount, tracesPerQuery: Object.fromEntries(entries) };
    },
  };
}

/** Of one operation and one client. */
interface ClientStats {
  readonly client: ClientSoftware;
  /** Number of requests for each bucket of durations. */
  readonly latencies: number[];
  requestsWithErrors: number;
  errors: number;
}

function statsMessage({ client, latencies, requestsWithErrors, errors }: ClientStats): IContextualizedStats {
  const requestCount = latencies.reduce((sum, count) => sum + count, 0);
  return {
    context: { clientName: client.name, clientVersion: client.version },
    queryLatencyStats: {
      latencyCount: latencies,
      requestCount,
      requestsWithErrorsCount: requestsWithErrors,
      requestsWithoutFieldInstrumentation: requestCount,
      rootErrorStats: { errorsCount: errors, requestsWithErrorsCount: requestsWithErrors },
    },
  };
}

const BUCKETS = 384;
const NS_IN_FIRST_BUCKET = 1_000;
const GROWTH = 1.1;

/** Each bucket has durations up to 1.1 times those of the one before; the first one, up to a microsecond. */
function bucketOf(durationNs: number): number {
  const bucket = Math.ceil(Math.log(Math.max(durationNs / NS_IN_FIRST_BUCKET, 1)) / Math.log(GROWTH));
  return Math.min(bucket, BUCKETS - 1);
}
