import type { Config } from "../../core/config-schema.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import type { TestDatabase } from "../support/database/database.ts";
import { indexedAlphaNetwork, servedNetworks } from "../support/indexed/alpha-network.ts";
import { replayPrimary } from "../support/indexed/replayed-primary.ts";
import { loadOfficialLibrary } from "../support/oracle/official-library.ts";
import { createOracle, type Oracle } from "../support/oracle/oracle.ts";
import { type PrimaryOracle, readPrimaryOracle } from "../support/oracle/primary-oracle.ts";
import { type Answer, type Front, startStack } from "../support/stack.ts";
import { expectContract } from "./contract.ts";

export interface Page<Item> {
  readonly nextPageToken?: string;
  readonly items: readonly Item[];
}

/**
 * The whole stack over HTTP, as rules ask it. Every answer of a path of the contract is held against
 * `spec/openapi.json`.
 */
export interface Api extends AsyncDisposable {
  readonly port: number;
  readonly config: Config;
  /** The recorded C-Chain and L1. */
  readonly c: Oracle;
  readonly l1: Oracle;
  /** The recorded primary network's transactions. */
  readonly primary: PrimaryOracle;
  /** The database behind it, for what no path writes; and the clock that prices and page tokens age by. */
  readonly pool: TestDatabase["pool"];
  readonly nowSeconds: number;
  get(path: string, init?: RequestInit): Promise<Answer>;
  /** The body of a 200. */
  body<Body>(path: string): Promise<Body>;
  /** Status and message of an error. */
  refusal(path: string, init?: RequestInit): Promise<[status: number, message: string]>;
  /** Another stack over the same database. */
  restarted(options: ApiOptions): Promise<Api>;
  /** What `start` starts under this name the first time; it is disposed with this stack. */
  shared<Started extends AsyncDisposable>(name: string, start: () => Promise<Started>): Promise<Started>;
  /** Runs `run` while the clock stands at another time, in milliseconds. */
  atTime(ms: number, run: () => Promise<void>): Promise<void>;
  /** The same graph, with keys and limits (and their clock) of its own. */
  limited(options: Pick<ApiOptions, "settings" | "nowMs">): Promise<LimitedApi>;
}

export type LimitedApi = AsyncDisposable & Asked;

type Asked = Pick<Api, "get" | "body" | "refusal">;

export interface ApiOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly nowMs?: () => number;
  readonly evmChains?: Config["evmChains"];
  /** As of `startStack`. */
  readonly expressPrefix?: string;
}

/** Indexes the recording and serves it, with a clock that stands still, so that one page has one token. */
export async function startApi(options: ApiOptions = {}): Promise<Api> {
  return startedOver(await indexedAlphaNetwork(), options);
}

/** Serves the primary network of another recording alone. */
export async function startPrimaryApi(folder: string): Promise<Api> {
  const config = { ...testConfig(), primaryNetworks: servedNetworks(folder) };
  return startedOver({ ...(await replayPrimary(folder)), config });
}

/** Oracles are those of the recording that is in the repository for all. */
async function startedOver(database: Indexed, options: ApiOptions = {}): Promise<Api> {
  const startedMs = Date.now();
  const recording = openRecording(ALPHA);
  const primary = readPrimaryOracle(ALPHA, await loadOfficialLibrary());
  const oracles = { c: createOracle(recording, 760011), l1: createOracle(recording, 760012), primary };
  const api = await startedOn(database, oracles, { ...options, nowMs: () => startedMs });
  return {
    ...api,
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

type Indexed = TestDatabase & { readonly config: Config };

async function startedOn(
  database: Indexed,
  oracles: Pick<Api, "c" | "l1" | "primary">,
  options: ApiOptions,
): Promise<Api> {
  const config = { ...database.config, evmChains: options.evmChains ?? database.config.evmChains };
  let otherMs: number | null = null;
  const nowMs = () => otherMs ?? (options.nowMs ?? Date.now)();
  const stack = await startStack({ database, ...options, config, nowMs });
  const started = new Map<string, Promise<AsyncDisposable>>();
  return {
    ...oracles,
    ...asked(stack),
    port: stack.port,
    config,
    pool: database.pool,
    nowSeconds: Math.floor((options.nowMs ?? Date.now)() / 1_000),
    restarted: (others) => startedOn(database, oracles, others),
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
    async limited(limits) {
      const front = await stack.front(limits);
      return { ...asked(front), [Symbol.asyncDispose]: front[Symbol.asyncDispose] };
    },
    async [Symbol.asyncDispose]() {
      for (const one of started.values()) await (await one)[Symbol.asyncDispose]();
      await stack[Symbol.asyncDispose]();
    },
  };
}

function asked(front: Front): Asked {
  const get: Api["get"] = async (path, init) => {
    const answer = await front.get(path, init);
    const method = init?.method ?? "GET";
    if (method !== "HEAD" && path.startsWith("/v")) expectContract(method, path, answer.status, answer.body);
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
      return [status, (body as { message: string }).message];
    },
  };
}
