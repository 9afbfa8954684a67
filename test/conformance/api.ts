import type { Config } from "../../core/config/config-schema.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import type { TestDatabase } from "../support/database/database.ts";
import { indexedAlphaNetwork, servedNetworks } from "../support/indexed/alpha-network.ts";
import { replayPrimary } from "../support/indexed/replayed-primary.ts";
import { insertRunningOperation } from "../support/operations/running-operation.ts";
import { loadOfficialLibrary } from "../support/oracle/official-library.ts";
import { createOracle, type Oracle } from "../support/oracle/oracle.ts";
import { type PrimaryOracle, readPrimaryOracle } from "../support/oracle/primary-oracle.ts";
import { type ServedSignatures, serveSignatures } from "../support/signatures/served-signatures.ts";
import { type Answer, type StackServer, startStack } from "../support/stack.ts";
import { expectContract } from "./contract.ts";

export interface Page<Item> {
  readonly nextPageToken?: string;
  readonly items: readonly Item[];
}

/**
 * The whole stack over HTTP, to which rules send requests. Every answer of a documented path is validated against the specification of its
 * dialect.
 */
export interface Api extends AsyncDisposable {
  readonly port: number;
  readonly config: Config;
  /** The recorded C-Chain and L1. */
  readonly c: Oracle;
  readonly l1: Oracle;
  /** The recorded primary network's transactions. */
  readonly primary: PrimaryOracle;
  /** The database, for rows that no path writes; and the clock of prices and page tokens. */
  readonly pool: TestDatabase["pool"];
  readonly nowSeconds: number;
  get(path: string, init?: RequestInit): Promise<Answer>;
  /** The body of a 200. */
  body<Body>(path: string): Promise<Body>;
  /** Status and message of an error; on metrics routes, the messages, each on a line. */
  refusal(path: string, init?: RequestInit): Promise<[status: number, message: string]>;
  /** Another stack over the same database. */
  restarted(options: ApiOptions): Promise<Api>;
  /**
   * Starts a stack under this name at the first call, and returns the same stack at later calls. It is disposed with this
   * stack.
   */
  shared<Started extends AsyncDisposable>(name: string, start: () => Promise<Started>): Promise<Started>;
  /** Runs `run` while the clock stands at another time, in milliseconds. */
  atTime(ms: number, run: () => Promise<void>): Promise<void>;
  /** Runs `run` while the signature service does not run. */
  withoutSignatures(run: () => Promise<void>): Promise<void>;
  /** The same graph, with keys and limits (and their clock) of its own. */
  limited(options: Pick<ApiOptions, "settings" | "nowMs">): Promise<LimitedApi>;
}

export type LimitedApi = AsyncDisposable & Requests;

type Requests = Pick<Api, "get" | "body" | "refusal">;

export interface ApiOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly nowMs?: () => number;
  readonly evmChains?: Config["evmChains"];
  /** See `startStack`. */
  readonly expressPrefix?: string;
  /** Whether to start a signature service, with simulated validators. */
  readonly signatures?: boolean;
}

/** Indexes the recording and serves it, with a fixed clock, so that each page always has the same token. */
export async function startApi(options: ApiOptions = {}): Promise<Api> {
  return serveIndexed(await indexedAlphaNetwork(), options);
}

/** Serves only the primary network of another recording. */
export async function startPrimaryApi(folder: string): Promise<Api> {
  const config = { ...testConfig(), primaryNetworks: servedNetworks(folder) };
  return serveIndexed({ ...(await replayPrimary(folder)), config });
}

/** Serves a database, which is disposed with the stack. The oracles are those of the recording alpha for every database. */
export async function serveIndexed(database: Indexed, options: ApiOptions = {}): Promise<Api> {
  const startedMs = Date.now();
  await insertRunningOperation(database);
  const recording = openRecording(ALPHA);
  const primary = readPrimaryOracle(ALPHA, await loadOfficialLibrary());
  const oracles = { c: createOracle(recording, 760011), l1: createOracle(recording, 760012), primary };
  const api = await serveDatabase(database, oracles, { ...options, nowMs: () => startedMs });
  return {
    ...api,
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

type Indexed = TestDatabase & { readonly config: Config };

async function serveDatabase(
  database: Indexed,
  oracles: Pick<Api, "c" | "l1" | "primary">,
  options: ApiOptions,
): Promise<Api> {
  const config = { ...database.config, evmChains: options.evmChains ?? database.config.evmChains };
  let otherMs: number | null = null;
  const nowMs = () => otherMs ?? (options.nowMs ?? Date.now)();
  const signatures: ServedSignatures | null = options.signatures ? await serveSignatures(database.url, config) : null;
  let serviceUrl = signatures?.url ?? null;
  const stack = await startStack({ database, ...options, config, nowMs, signatureServiceUrl: () => serviceUrl });
  const started = new Map<string, Promise<AsyncDisposable>>();
  return {
    ...oracles,
    ...requestsTo(stack),
    port: stack.port,
    config,
    pool: database.pool,
    nowSeconds: Math.floor((options.nowMs ?? Date.now)() / 1_000),
    restarted: (others) => serveDatabase(database, oracles, others),
    shared<Started extends AsyncDisposable>(name: string, start: () => Promise<Started>) {
      const one = started.get(name) ?? start();
      started.set(name, one);
      return one as Promise<Started>; // a name is always started in the same way
    },
    async atTime(ms, run) {
      otherMs = ms;
      try {
        await run();
      } finally {
        otherMs = null;
      }
    },
    async withoutSignatures(run) {
      serviceUrl = null;
      try {
        await run();
      } finally {
        serviceUrl = signatures?.url ?? null;
      }
    },
    async limited(limits) {
      const server = await stack.serveAgain(limits);
      return { ...requestsTo(server), [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
    },
    async [Symbol.asyncDispose]() {
      for (const one of started.values()) await (await one)[Symbol.asyncDispose]();
      await stack[Symbol.asyncDispose]();
      await signatures?.[Symbol.asyncDispose]();
    },
  };
}

function requestsTo(server: StackServer): Requests {
  const get: Api["get"] = async (path, init) => {
    const answer = await server.get(path, init);
    const method = init?.method ?? "GET";
    if (method !== "HEAD" && /^(\/hosted)?\/v/.test(path)) expectContract(method, path, answer.status, answer.body);
    return answer;
  };
  return {
    get,
    async body<Body>(path: string) {
      const { status, text, body } = await get(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return body as Body;
    },
    async refusal(path, init) {
      const { status, body } = await get(path, init);
      const { message } = body as { message: string | readonly string[] };
      return [status, typeof message === "string" ? message : message.join("\n")];
    },
  };
}
