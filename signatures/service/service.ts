import { setMaxListeners } from "node:events";
import type pg from "pg";
import type { Config } from "../../core/config/config-schema.ts";
import { logLostConnections } from "../../core/database/lost-connections.ts";
import { placementOf } from "../../core/database/placement.ts";
import { createPool } from "../../core/database/postgres/connect.ts";
import { messageOf } from "../../core/errors/errors.ts";
import { type Shutdown, startServer } from "../../core/http/server.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { observePool } from "../../core/observability/observe.ts";
import { createKeyCache } from "../bls/key-cache.ts";
import type { Counts } from "../p2p/counts.ts";
import { createResolver } from "../resolve/resolver.ts";
import { createHandler } from "./handler.ts";
import { requireIdentityDirectories } from "./identity-directories.ts";
import { createSource, type GivenAddress } from "./source.ts";

export interface ServiceOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Addresses of validators besides those of the settings. */
  readonly addresses?: readonly GivenAddress[];
  /** If given, running requests are answered before the service stops. Default: they fail at once. */
  readonly shutdown?: Shutdown;
  readonly logger: Logger;
}

/** A running service. Disposing it ends its collections and closes its connections. */
export interface SignatureServer extends AsyncDisposable {
  readonly port: number;
  /** Counts of the connections of each network that was used so far. */
  counts(): Promise<readonly Readonly<Counts>[]>;
}

const POOL_SIZE = 4;
const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 10_000;
/** Keys of the primary network and of many L1s. One takes about 500 bytes. */
const KEPT_KEYS = 20_000;

/**
 * Starts the signature service, also if it cannot keep its certificates: then it logs the reason, and its health check fails. It connects
 * to validators and the database only when it is asked.
 */
export async function startService(options: ServiceOptions): Promise<SignatureServer> {
  const { config, host, port, addresses = [], shutdown, logger } = options;
  const placement = placementOf(config, options.databaseUrl);
  const pools = new Map(placement.all.map((url) => [url, openPool(url, logger)]));
  const observations = [...pools.values()].map((pool) => observePool("signatures", pool));
  const poolOf = (url: string) => pools.get(url) as pg.Pool;
  const resolver = createResolver({
    pools: {
      evm: (chainId) => poolOf(placement.evm(String(chainId))),
      primary: (networkId) => poolOf(placement.primary(String(networkId))),
    },
    networks: config.primaryNetworks,
    evmChains: config.evmChains,
    keyCache: createKeyCache(KEPT_KEYS),
    nowSeconds: () => Math.floor(Date.now() / 1_000),
  });
  const source = createSource({ config, addresses, logger });
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const checkHealth = () => requireIdentityDirectories(config);
  await checkHealth().catch((error: unknown) => logger.error(messageOf(error)));
  const handler = createHandler({ resolver, source, checkHealth, stopping: stop.signal, logger });
  const { unreadBytes } = config;
  const server = await startServer({
    host,
    port,
    handler,
    unreadBytes,
    ...(shutdown ? { shutdown } : { idleGraceMs: 0 }),
  });
  return {
    port: server.port,
    counts: () => source.counts(),
    async [Symbol.asyncDispose]() {
      if (shutdown) await server[Symbol.asyncDispose]();
      stop.abort(new Error("the signature service stops"));
      const stopped = server[Symbol.asyncDispose]();
      await source[Symbol.asyncDispose]();
      await stopped;
      for (const observation of observations) observation[Symbol.dispose]();
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },
  };
}

function openPool(databaseUrl: string, logger: Logger): pg.Pool {
  const pool = createPool(databaseUrl, {
    max: POOL_SIZE,
    application_name: "moraine signatures",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  logLostConnections(pool, logger, "signatures");
  return pool;
}
