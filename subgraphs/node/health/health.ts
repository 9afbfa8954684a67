import type { Config } from "../../../core/config-schema.ts";
import type { Database } from "../../../core/database.ts";
import type { Logger } from "../../../core/logger.ts";
import { ownNetwork } from "../../../core/own-network.ts";
import { goDurationMs } from "../../../core/settings/go-duration.ts";
import { createAskedNode } from "./asked-node.ts";
import { createBootstrapping } from "./bootstrapping.ts";
import { type Check, monotonic } from "./check.ts";
import { bootstrappedCheck } from "./checks/bootstrapped.ts";
import { chainCheck } from "./checks/chain.ts";
import { databaseCheck } from "./checks/database.ts";
import { diskspaceCheck, growingDirectory } from "./checks/diskspace.ts";
import { networkCheck } from "./checks/network.ts";
import { type Probe, routerCheck } from "./checks/router.ts";
import { createHealthClock, type HealthClock } from "./clock.ts";
import { createHealthFeed } from "./feed.ts";
import { blockchainsWithoutSubnet, type IndexedChain, indexedChains } from "./indexed-chains.ts";
import { createIndexing, MOST_LAG_BLOCKS } from "./indexing.ts";
import { mergedChecks } from "./node-health.ts";
import { APPLICATION, reportOf } from "./report.ts";
import { createSubnets } from "./subnets.ts";
import { createTraffic, type Traffic } from "./traffic.ts";
import type { HealthCheck, HealthReport } from "./types.ts";
import { createHealthWorker } from "./worker.ts";

type Tags = readonly string[] | null | undefined;

/**
 * Moraine's own health. Reports are of the last runs: reading them runs nothing. Disposing it ends the runs and those who
 * follow; what is still asked then is told that the server shuts down.
 */
export interface Health extends AsyncDisposable {
  /** The present report of every check, those of the upstream node included. */
  health(tags?: Tags): HealthReport;
  /** Of the first indexing alone; healthy once, it stays so. */
  readiness(tags?: Tags): HealthReport;
  /** Healthy whenever it is asked. */
  liveness(tags?: Tags): HealthReport;
  /** The present report, then one whenever the state changes. */
  follow(tags?: Tags): AsyncIterableIterator<HealthReport>;
  /** Runs all checks now, and again at each interval of the setting. To be called when the parts that are probed are there. */
  start(): void;
  /** Runs all checks once. */
  tick(): Promise<void>;
  /** Whoever else asks the upstream node counts the requests here. */
  readonly traffic: Traffic;
}

export interface HealthDeps {
  readonly config: Pick<Config, "nodeInterface" | "evmChains" | "primaryNetworks" | "dataDirectory" | "databaseUrl">;
  readonly database: Database;
  readonly logger: Logger;
  /** The upstream node, and the network that it must be of; null where none is asked. */
  readonly upstream: UpstreamNode | null;
  /** Asks each part of the service. */
  readonly probes: Readonly<Record<string, Probe>>;
  /** Default: the system's. */
  readonly clock?: HealthClock;
}

export interface UpstreamNode {
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
  readonly networkId: number | null;
}

const LONGEST_ANSWER_MS = 5_000;
const SHORTEST_ANSWER_MS = 800;

const SHUTTING_DOWN = { message: { isShuttingDown: true }, error: "server shutting down" };

/** Reads of which subnets the chains are, as far as the index knows. Nothing runs before `start` or `tick`. */
export async function createHealth(deps: HealthDeps): Promise<Health> {
  const { config, database, logger, upstream, probes, clock = createHealthClock() } = deps;
  const { healthCheckFrequency, requestTimeoutMs, requiredAvailableDiskSpacePercentage } = config.nodeInterface;
  const frequencyMs = goDurationMs(healthCheckFrequency) ?? 30_000;
  const answerMs = Math.floor(Math.min(Math.max(frequencyMs * 0.8, SHORTEST_ANSWER_MS), LONGEST_ANSWER_MS));
  const subnets = createSubnets(database, blockchainsWithoutSubnet(config));
  await subnets.look();
  const chains = indexedChains(config, ownNetwork(config), subnets);
  const traffic = createTraffic(clock);
  const node = upstream && createAskedNode({ ...upstream, timeLimitMs: Math.min(answerMs, requestTimeoutMs), traffic });
  const feed = createHealthFeed();
  const indexing = createIndexing(database, subnets, answerMs);
  const bootstrapping = createBootstrapping(chains, indexing);
  // A check has a little longer than what it waits for, so that it can say what did not come.
  const workerDeps = { clock, logger, timeLimitMs: Math.ceil(answerMs * 1.25) };
  const [own, ready] = [createHealthWorker(workerDeps), createHealthWorker(workerDeps)];
  let merged: readonly HealthCheck[] = [];

  const bootstrapped = bootstrappedCheck(bootstrapping);
  const checks: Readonly<Record<string, Check>> = {
    database: databaseCheck(database, answerMs),
    diskspace: diskspaceCheck(() => growingDirectory(config), requiredAvailableDiskSpacePercentage),
    network: networkCheck({
      node,
      traffic,
      networkId: upstream?.networkId ?? null,
      lagging: bootstrapping.lagging,
      mostLagBlocks: MOST_LAG_BLOCKS,
      merge(health) {
        merged = health ? mergedChecks(health, subnetsOf(chains)) : [];
      },
    }),
    router: routerCheck({ probes, clock, timeLimitMs: answerMs }),
    bootstrapped,
  };
  for (const [name, check] of Object.entries(checks)) own.register(name, check, [APPLICATION]);
  for (const chain of chains)
    own.register(
      () => chain.name,
      chainCheck(chain, indexing, clock),
      () => [chain.subnet],
    );
  ready.register("bootstrapped", monotonic(bootstrapped), [APPLICATION]);

  const health = (tags?: Tags) => reportOf([...own.results, ...merged], tags);
  const underWay = new Set<Promise<unknown>>();
  const tick = async () => {
    const runs = Promise.all([own.tick(), ready.tick()]);
    underWay.add(runs);
    await runs.finally(() => underWay.delete(runs));
    feed.tell();
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    health,
    readiness: (tags) => reportOf(ready.results, tags),
    liveness: () => reportOf([]),
    follow: (tags) => feed.follow(() => health(tags)),
    start() {
      timer ??= setInterval(() => void tick(), frequencyMs);
      void tick();
    },
    tick,
    traffic,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await own.register("shuttingDown", async () => SHUTTING_DOWN, [APPLICATION])();
      feed[Symbol.dispose]();
      // The database is to be there for those under way.
      await Promise.all(underWay);
      await node?.[Symbol.asyncDispose]();
    },
  };
}

function subnetsOf(chains: readonly IndexedChain[]): (chain: string) => string | null {
  return (name) => chains.find((chain) => chain.name === name)?.subnet ?? null;
}
