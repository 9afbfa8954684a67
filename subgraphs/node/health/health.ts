import type { Config } from "../../../core/config/config-schema.ts";
import { goDurationMs } from "../../../core/config/settings/go-duration.ts";
import type { Databases } from "../../../core/database/database.ts";
import { nodeInterfaceNetwork } from "../../../core/networks/node-interface-network.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { bootstrappedCheck } from "./checks/bootstrapped.ts";
import { chainCheck } from "./checks/chain.ts";
import { databaseCheck } from "./checks/database.ts";
import { databaseDirectory, diskspaceCheck } from "./checks/diskspace.ts";
import { networkCheck } from "./checks/network.ts";
import { type Probe, routerCheck } from "./checks/router.ts";
import { showHealthMetrics } from "./health-metrics.ts";
import { createBootstrapping } from "./indexing/bootstrapping.ts";
import { blockchainsWithoutSubnet, type IndexedChain, indexedChains } from "./indexing/indexed-chains.ts";
import { createIndexingProgress, MAX_LAG_BLOCKS } from "./indexing/progress.ts";
import { createSubnets } from "./indexing/subnets.ts";
import { APPLICATION, reportOf } from "./report.ts";
import { createReportSubscriptions } from "./report-subscriptions.ts";
import { monotonic } from "./runner/check.ts";
import { type CheckRunner, createCheckRunner } from "./runner/check-runner.ts";
import { createHealthClock, type HealthClock } from "./runner/clock.ts";
import type { HealthCheck, HealthReport } from "./types.ts";
import { createHealthClient, type HealthClient } from "./upstream/health-client.ts";
import { mergedChecks } from "./upstream/node-report.ts";
import { createRequestStatistics, type RequestStatistics } from "./upstream/request-statistics.ts";

type Tags = readonly string[] | null | undefined;

/**
 * Moraine's own health. Reports contain the last results; reading one runs no check. Disposing it ends the checks, and announces
 * the shutdown if that has not happened before.
 */
export interface Health extends AsyncDisposable {
  /** The current report of every check, including those of the upstream node. */
  health(tags?: Tags): HealthReport;
  /** The current report of the check `bootstrapped` alone. Once healthy, it stays healthy. */
  readiness(tags?: Tags): HealthReport;
  /** A report that is always healthy. */
  liveness(tags?: Tags): HealthReport;
  /** Yields the current report, then one after each change of its state (see `stateOf`). */
  follow(tags?: Tags): AsyncIterableIterator<HealthReport>;
  /** Runs all checks now and at the configured interval. Call it when the probed parts are running. */
  start(): void;
  /** Runs all checks once. */
  tick(): Promise<void>;
  /** Adds the failed check `shuttingDown` to the reports of `health`, sends the last report to subscribers, and ends them. */
  announceShutdown(): Promise<void>;
  /** Statistics for the check `network`. Callers also record here their requests to the upstream node. */
  readonly requests: RequestStatistics;
}

export interface HealthDeps {
  readonly config: Pick<Config, "nodeInterface" | "evmChains" | "primaryNetworks" | "dataDirectory" | "databaseUrl">;
  readonly database: Databases;
  readonly logger: Logger;
  /** The upstream node, and the network that it must belong to. Null if no node is configured or `askNode` is false. */
  readonly upstream: UpstreamNode | null;
  /** Probes of the parts of the service, by name. */
  readonly probes: Readonly<Record<string, Probe>>;
  /** Returns what the message of the check `router` says of the supergraph; null if it says nothing. Default: null. */
  readonly supergraph?: (() => object | null) | undefined;
  /** Default: the system's clock. */
  readonly clock?: HealthClock;
}

export interface UpstreamNode {
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
  readonly networkId: number | null;
}

const MAX_ANSWER_MS = 5_000;
const MIN_ANSWER_MS = 800;

const SHUTTING_DOWN = { message: { isShuttingDown: true }, error: "server shutting down" };

/** Reads the subnets of the chains from the index. Runs no check before `start` or `tick`. */
export async function createHealth(deps: HealthDeps): Promise<Health> {
  const frequencyMs = goDurationMs(deps.config.nodeInterface.healthCheckFrequency) ?? 30_000;
  const subscriptions = createReportSubscriptions();
  const { own, ready, reportedByNode, requests, node } = await createRunners(deps, frequencyMs);
  const health = (tags?: Tags) => reportOf([...own.results, ...reportedByNode()], tags);
  const metrics = showHealthMetrics(health, deps.database, deps.config);
  const running = new Set<Promise<unknown>>();
  const tick = async () => {
    const runs = Promise.all([own.tick(), ready.tick()]);
    running.add(runs);
    await runs.finally(() => running.delete(runs));
    subscriptions.notify();
  };
  let timer: NodeJS.Timeout | undefined;
  let announced: Promise<void> | undefined;
  const announceShutdown = (): Promise<void> => {
    announced ??= own
      .register("shuttingDown", async () => SHUTTING_DOWN, [APPLICATION])()
      .then(() => subscriptions.notify());
    return announced;
  };
  return {
    health,
    readiness: (tags) => reportOf(ready.results, tags),
    liveness: () => reportOf([]),
    follow: (tags) => subscriptions.follow(() => health(tags)),
    start() {
      timer ??= setInterval(() => void tick(), frequencyMs);
      void tick();
    },
    tick,
    announceShutdown,
    requests,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      metrics[Symbol.dispose]();
      await announceShutdown();
      subscriptions[Symbol.dispose]();
      // Running checks still use the database, which is closed after this.
      await Promise.all(running);
      await node?.[Symbol.asyncDispose]();
    },
  };
}

interface Runners {
  /** Runs the checks of `health`. */
  readonly own: CheckRunner;
  /** Runs the check of `readiness`. */
  readonly ready: CheckRunner;
  /** The last checks that the upstream node reported. */
  reportedByNode(): readonly HealthCheck[];
  readonly requests: RequestStatistics;
  readonly node: HealthClient | null;
}

/** Creates the checks and registers them. */
async function createRunners(deps: HealthDeps, frequencyMs: number): Promise<Runners> {
  const { config, database, logger, upstream, probes, supergraph, clock = createHealthClock() } = deps;
  const { requestTimeoutMs, requiredAvailableDiskSpacePercentage } = config.nodeInterface;
  const answerMs = Math.floor(Math.min(Math.max(frequencyMs * 0.8, MIN_ANSWER_MS), MAX_ANSWER_MS));
  const subnets = createSubnets(database.primary, blockchainsWithoutSubnet(config));
  await subnets.refresh();
  const chains = indexedChains(config, nodeInterfaceNetwork(config), subnets);
  const requests = createRequestStatistics(clock);
  const timeLimitMs = Math.min(answerMs, requestTimeoutMs);
  const node = upstream && createHealthClient({ ...upstream, timeLimitMs, requests });
  const progress = createIndexingProgress(database, config, subnets, answerMs);
  const bootstrapping = createBootstrapping(chains, progress);
  let reported: readonly HealthCheck[] = [];
  const network = networkCheck({
    node,
    requests,
    networkId: upstream?.networkId ?? null,
    lagging: bootstrapping.lagging,
    maxLagBlocks: MAX_LAG_BLOCKS,
    merge(report) {
      reported = report ? mergedChecks(report, subnetsOf(chains)) : [];
    },
  });
  const bootstrapped = bootstrappedCheck(bootstrapping);
  // The time limit of a check is a little longer than that of its requests, so that it can report which answer is missing.
  const runnerDeps = { clock, logger, timeLimitMs: Math.ceil(answerMs * 1.25) };
  const own = createCheckRunner(runnerDeps);
  const ready = createCheckRunner(runnerDeps);
  for (const [name, pool] of database.cells) {
    const check = pool === database.pool ? "database" : `database ${name}`;
    const replicas = pool === database.pool ? database.replicas : null;
    own.register(check, databaseCheck({ pool, replicas }, answerMs), [APPLICATION]);
  }
  const directory = () => databaseDirectory(config);
  own.register("diskspace", diskspaceCheck(directory, requiredAvailableDiskSpacePercentage), [APPLICATION]);
  own.register("network", network, [APPLICATION]);
  own.register("router", routerCheck({ probes, clock, timeLimitMs: answerMs, supergraph }), [APPLICATION]);
  own.register("bootstrapped", bootstrapped, [APPLICATION]);
  for (const chain of chains)
    own.register(
      () => chain.name,
      chainCheck(chain, progress, clock),
      () => [chain.subnet],
    );
  ready.register("bootstrapped", monotonic(bootstrapped), [APPLICATION]);
  return { own, ready, reportedByNode: () => reported, requests, node };
}

function subnetsOf(chains: readonly IndexedChain[]): (chain: string) => string | null {
  return (name) => chains.find((chain) => chain.name === name)?.subnet ?? null;
}
