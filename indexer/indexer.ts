import type pg from "pg";
import type { Config, EvmChainConfig, PrimaryNetworkConfig } from "../core/config/config-schema.ts";
import { openPool, type PooledDatabase } from "../core/database/database.ts";
import { type Placement, placementOf } from "../core/database/placement.ts";
import { MOST_WRITER_SESSIONS } from "../core/embedded-postgres/database-sessions.ts";
import { createRedaction } from "../core/errors/redaction.ts";
import { nodesOf } from "../core/networks/nodes.ts";
import { indexedChainName, type PrimaryChain } from "../core/networks/primary-chains.ts";
import type { Logger } from "../core/observability/logger.ts";
import { chainRules } from "./evm/decode/chain-rules.ts";
import { indexChain } from "./evm/follow/index-chain.ts";
import { createPlaceCheck } from "./evm/follow/place.ts";
import { createMaintenance, type Maintenance } from "./evm/maintenance/maintenance.ts";
import { indexNftMetadata } from "./evm/nft/index-nft-metadata.ts";
import { createNodePool, type NodePool } from "./evm/nodes/node-pool.ts";
import { createProof, type Proof } from "./evm/proof/proof.ts";
import { indexedChain } from "./evm/store/indexed-chain.ts";
import { createPartitionsOnDemand } from "./evm/store/partitions-on-demand.ts";
import { indexTokens } from "./evm/tokens/index-tokens.ts";
import { retryTraces } from "./evm/traces/retry-traces.ts";
import { pollPrices } from "./prices/poll.ts";
import { indexPrimary } from "./primary/index-primary.ts";
import { indexedNetwork } from "./primary/nodes/indexed-network.ts";
import { createPrimaryNodes, type PrimaryNodes } from "./primary/nodes/primary-nodes.ts";
import { createPrimaryProof } from "./primary/proof/proof.ts";
import { openNode } from "./primary/verify/open-node.ts";
import { runAsWriter, type WriterRun } from "./run-as-writer.ts";
import { createMaintenanceSession, type MaintenanceSession } from "./shared/maintenance-session.ts";
import { createMetadataRequests, type MetadataRequests } from "./shared/metadata-requests.ts";
import { lowerPriority } from "./shared/priority.ts";
import { createProgress, type Progress } from "./shared/progress.ts";
import { observeProgress } from "./shared/progress-metrics.ts";
import { createProgressRows, type ProgressRows } from "./shared/progress-rows.ts";
import { restartReason } from "./shared/restart-reason.ts";
import { logNode } from "./shared/several-nodes/log-node.ts";
import { createWorkSignal, type WorkSignal } from "./shared/work-signal.ts";
import type { Writer } from "./shared/writer.ts";
import { createWriterSessions, type WriterSessions } from "./shared/writer-sessions.ts";
import { type Share, wholeShare } from "./shares.ts";

/** A running indexer. Disposing it ends the indexing. */
export interface Indexer extends AsyncDisposable {
  /** Progress of the chains that this process writes. */
  readonly progress: readonly Progress[];
}

export interface IndexerOptions {
  /** Default: all chains and networks of the settings. */
  readonly share?: Share;
  /** How much lower the priority of its PostgreSQL sessions that write is. Must be 0 unless the server runs on this machine. Default: 0. */
  readonly sessionNiceness?: number;
  /** Why an earlier process with the same chains has ended. Callers of the API see it until this one works. Default: there was none. */
  readonly lastError?: string | null;
}

/**
 * Indexes a share of the configured chains and primary networks, by default all, each in its database, and stores current prices in the main
 * database, whose URL is `databaseUrl`, if `prices.url` is set.
 * Each chain and network has one writing process; other processes wait and take over when it ends. After a failure, for example of
 * the database, the indexing restarts.
 */
export function startIndexer(
  config: Config,
  databaseUrl: string,
  logger: Logger,
  { share = wholeShare(config), sessionNiceness = 0, lastError = null }: IndexerOptions = {},
): Indexer {
  const stop = new AbortController();
  const placement = placementOf(config, databaseUrl);
  const progress: Progress[] = [];
  const observation = observeProgress(progress);
  const cells = createCells({ databaseUrl, logger, sessionNiceness });
  const common = { config, placement, logger, progress, lastError, stop: stop.signal };
  const poolOf = (url: string) => cells.of(url).database.pool;
  const depsOf = (url: string): Deps => ({ ...common, ...cells.of(url), poolOf });
  const ownChains = config.evmChains.filter(({ chainId }) => share.chainIds.includes(chainId));
  const chains = ownChains.map((chain) => {
    const deps = depsOf(placement.evm(chain.chainId));
    const ids = { chainId: chain.chainId };
    return runAsWriter(deps, String(chain.chainId), ids, (run) => indexAsWriter(deps, chain, run));
  });
  const ownNetworks = config.primaryNetworks.filter(({ networkId }) => share.networkIds.includes(networkId));
  const networks = ownNetworks.map((network) => {
    const deps = depsOf(placement.primary(network.networkId));
    const ids = { networkId: network.networkId };
    return runAsWriter(deps, `primary ${network.networkId}`, ids, (run) => indexPrimaryAsWriter(deps, network, run));
  });
  const pricing = share.pollsPrices ? pollPrices({ config, databaseUrl, logger, stop: stop.signal }) : null;
  return {
    progress,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the indexer stops"));
      await Promise.all([...chains, ...networks, pricing]);
      observation[Symbol.dispose]();
      await cells[Symbol.asyncDispose]();
    },
  };
}

/** What the chains and networks of one database share. */
interface Cell {
  readonly databaseUrl: string;
  readonly database: PooledDatabase;
  readonly rows: ProgressRows;
  /** In which the chains and networks are written. */
  readonly writers: WriterSessions;
  readonly maintenance: MaintenanceSession;
  readonly requests: MetadataRequests;
}

interface CellsOptions {
  /** The main database, whose server runs on this machine if its sessions get another priority. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly sessionNiceness: number;
}

/** Opens what belongs to a database when a chain of it is started. */
function createCells({ databaseUrl: main, logger, sessionNiceness }: CellsOptions) {
  const cells = new Map<string, Cell>();
  const open = (url: string) => {
    const steps = url === main ? sessionNiceness : 0;
    const onSession = (pid: number) => lowerPriority({ pid, steps, name: "a session of PostgreSQL" }, logger);
    const database = openPool(url, 2, logger, "indexer");
    return {
      databaseUrl: url,
      database,
      rows: createProgressRows(database.pool, logger),
      writers: createWriterSessions({ url, most: MOST_WRITER_SESSIONS, onSession }),
      maintenance: createMaintenanceSession({ url, onSession }),
      requests: createMetadataRequests(database.pool, logger),
    };
  };
  return {
    of(url: string): Cell {
      const cell = cells.get(url) ?? open(url);
      cells.set(url, cell);
      return cell;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...cells.values()].map(closeCell));
    },
  };
}

async function closeCell({ writers, maintenance, requests, database }: Cell): Promise<void> {
  await Promise.all([writers, maintenance, requests].map((one) => one[Symbol.asyncDispose]()));
  await database[Symbol.asyncDispose]();
}

interface Deps extends Cell {
  readonly config: Config;
  readonly placement: Placement;
  readonly logger: Logger;
  readonly progress: Progress[];
  /** The pool of a database of the placement. */
  readonly poolOf: (url: string) => pg.Pool;
  /** Why an earlier process with the same chains has ended; null if there was none. */
  readonly lastError: string | null;
  readonly stop: AbortSignal;
}

async function indexAsWriter(deps: Deps, chain: EvmChainConfig, run: WriterRun): Promise<void> {
  const { restarts } = run;
  const writer = createPartitionsOnDemand(run.writer, String(chain.chainId));
  const { rows, maintenance: session, requests, logger, progress: all, stop } = deps;
  const failed = new AbortController();
  const signal = AbortSignal.any([stop, writer.lost, failed.signal]);
  const row = { table: "chain_progress", key: { chain_id: String(chain.chainId) } } as const;
  const redact = createRedaction(...nodesOf(chain));
  const work = createWorkSignal();
  using _requests = requests.listen(String(chain.chainId), work.notify);
  const name = chain.chainName;
  const progress = createProgress({ rows, row, name, logger, redact, onOtherBlock: work.notify, ...restarts });
  all.push(progress);
  try {
    await using nodes = createNodes(deps, chain, { writer, progress, signal });
    const { rebuildIndexesAfterBlocks } = deps.config.indexing;
    await using maintenance = createMaintenance({
      session,
      chainId: String(chain.chainId),
      rebuildIndexesAfterBlocks,
      logger,
    });
    await using proof = createProof({
      session,
      rules: chainRules(chain),
      writer,
      contractNode: nodes.contractNode,
      progress,
      logger,
      everyBlocks: deps.config.indexing.proofEveryBlocks,
      signal,
    });
    const tasks = chainTasks(deps, chain, { writer, progress, work, nodes, maintenance, proof, signal });
    // A task that fails ends the others, so that all restart together.
    for (const task of tasks) task.catch((error: unknown) => failed.abort(error));
    await Promise.all(tasks.map((task) => task.catch(() => {})));
    if (!stop.aborted) throw failed.signal.reason ?? writer.lost.reason;
  } catch (error) {
    if (!stop.aborted) progress.update({ state: "WAITING", reason: restartReason(error) });
    throw error;
  } finally {
    all.splice(all.indexOf(progress), 1);
    await progress[Symbol.asyncDispose]();
  }
}

/** The nodes of a chain, whose states are shown in its progress. */
function createNodes(
  { config, logger }: Deps,
  chain: EvmChainConfig,
  { writer, progress, signal }: Pick<ChainRun, "writer" | "progress" | "signal">,
): NodePool {
  const { chainId, traces } = chain;
  const nodes = nodesOf(chain);
  const pool = createNodePool({
    chainId,
    nodes,
    traces,
    indexing: config.indexing,
    signal,
    indexed: indexedChain(writer, String(chainId)),
    onChange(node, before) {
      progress.update({ nodes: pool.status() });
      // With one node, the state of the chain says the same.
      if (nodes.length > 1) logNode(logger, progress.ids, { node, before });
    },
  });
  progress.update({ nodes: pool.status() });
  return pool;
}

interface ChainRun {
  readonly writer: Writer;
  readonly progress: Progress;
  readonly work: WorkSignal;
  readonly nodes: NodePool;
  readonly maintenance: Maintenance;
  readonly proof: Proof;
  readonly signal: AbortSignal;
}

function chainTasks(
  { config, placement, databaseUrl, poolOf, logger }: Deps,
  chain: EvmChainConfig,
  { writer, progress, work, nodes, maintenance, proof, signal }: ChainRun,
): readonly Promise<void>[] {
  const { source, background, contractNode, redact } = nodes;
  const chainDeps = { chainId: String(chain.chainId), writer, work, signal };
  const otherDatabase = (networkId: number) => {
    const url = placement.primary(networkId);
    return url === databaseUrl ? null : poolOf(url);
  };
  const contractDeps = { ...chainDeps, contractNode };
  return [
    indexChain({
      rules: chainRules(chain),
      writer,
      source,
      progress,
      logger,
      indexing: config.indexing,
      checkPlace: createPlaceCheck({ chain, primaryNetworks: config.primaryNetworks, writer, otherDatabase, logger }),
      maintenance,
      proof,
      signal,
    }),
    indexTokens(contractDeps),
    ...(chain.traces === "off" ? [] : [retryTraces({ ...chainDeps, source: background, redact, logger })]),
    indexNftMetadata({
      ...contractDeps,
      isOn: chain.enabledFeatures.includes("nftIndexing"),
      settings: config.nftMetadata,
    }),
  ];
}

async function indexPrimaryAsWriter(
  { config, rows, maintenance: session, logger, progress: all, stop }: Deps,
  settings: PrimaryNetworkConfig,
  { writer, restarts }: WriterRun,
): Promise<void> {
  const signal = AbortSignal.any([stop, writer.lost]);
  const { network, networkId } = settings;
  const redact = createRedaction(...nodesOf(settings));
  const progressOf = (chain: PrimaryChain) => {
    const row = { table: "primary_progress", key: { network_id: String(networkId), chain } } as const;
    const name = indexedChainName(chain, network);
    return createProgress({ rows, row, name, logger, redact, ...restarts });
  };
  const progress = { P: progressOf("P"), X: progressOf("X"), C: progressOf("C") };
  const ownProgress = Object.values(progress);
  all.push(...ownProgress);
  try {
    const { evmChains, indexing } = config;
    await using nodes = createNodesOfNetwork({ config, logger }, settings, { writer, progress, signal });
    await using node = openNode(settings, indexing, signal, nodes.isQuarantined);
    await using proof = createPrimaryProof({
      networkId,
      session,
      node,
      redact,
      writer,
      progress,
      logger,
      isOn: indexing.proofEveryBlocks > 0,
      signal,
    });
    const { source } = nodes;
    await indexPrimary({ settings, evmChains, source, writer, progress, indexing, logger, proof, signal });
    if (!stop.aborted) throw writer.lost.reason;
  } catch (error) {
    const reason = restartReason(error);
    if (!stop.aborted) for (const one of ownProgress) one.update({ state: "WAITING", reason });
    throw error;
  } finally {
    for (const one of ownProgress) all.splice(all.indexOf(one), 1);
    await Promise.all(ownProgress.map((one) => one[Symbol.asyncDispose]()));
  }
}

/** The nodes of a network, whose states are shown in the progress of its chains. */
function createNodesOfNetwork(
  { config, logger }: Pick<Deps, "config" | "logger">,
  settings: PrimaryNetworkConfig,
  run: {
    readonly writer: Writer;
    readonly progress: Readonly<Record<PrimaryChain, Progress>>;
    readonly signal: AbortSignal;
  },
): PrimaryNodes {
  const { writer, progress, signal } = run;
  const nodes = createPrimaryNodes({
    settings,
    indexing: config.indexing,
    signal,
    indexed: indexedNetwork(writer, settings.networkId),
    onChange(chain, node, before) {
      progress[chain].update({ nodes: nodes.status(chain) });
      // With one node, the state of the chain says the same.
      if (nodes.status(chain).length > 1) logNode(logger, progress[chain].ids, { node, before });
    },
  });
  for (const chain of ["P", "X"] as const) progress[chain].update({ nodes: nodes.status(chain) });
  return nodes;
}
