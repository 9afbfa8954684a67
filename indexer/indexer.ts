import { setTimeout as sleep } from "node:timers/promises";
import type { Config, EvmChainConfig, PrimaryNetworkConfig } from "../core/config-schema.ts";
import { type Database, openDatabase } from "../core/database.ts";
import { messageOf } from "../core/errors.ts";
import type { Logger } from "../core/logger.ts";
import { chainRules } from "./evm/decode/chain-rules.ts";
import { createEvmSource } from "./evm/fetch/source.ts";
import { indexChain } from "./evm/follow/index-chain.ts";
import { indexNftMetadata } from "./evm/nft/index-nft-metadata.ts";
import { indexTokens } from "./evm/tokens/index-tokens.ts";
import { keepPricing } from "./prices/poll.ts";
import { createPrimarySource } from "./primary/fetch/source.ts";
import { indexPrimary } from "./primary/index-primary.ts";
import type { PrimaryChain } from "./primary/network/chains.ts";
import { createNodeClient } from "./shared/node/node-client.ts";
import { createProgress, type Progress } from "./shared/progress.ts";
import { tryBecomeWriter, type Writer } from "./shared/writer.ts";

const RETRY_MS = 1_000;

/** A running indexer: the progress of the chains that this process writes; disposing it ends the writing. */
export interface Indexer extends AsyncDisposable {
  readonly progress: readonly Progress[];
}

/**
 * Indexes every configured chain and primary network. For each one process is the writer; the others stand by and take over
 * when it goes. A failing database only delays: it is tried again.
 */
export function startIndexer(config: Config, databaseUrl: string, logger: Logger): Indexer {
  const stop = new AbortController();
  const database = openDatabase(databaseUrl, 2, logger);
  const progress: Progress[] = [];
  const deps = { config, databaseUrl, database, logger, progress, stop: stop.signal };
  const chains = config.evmChains.map((chain) =>
    keepWriting(deps, String(chain.chainId), { chainId: chain.chainId }, (writer) =>
      indexAsWriter(deps, chain, writer),
    ),
  );
  const networks = config.primaryNetworks.map((network) =>
    keepWriting(deps, `primary ${network.networkId}`, { networkId: network.networkId }, (writer) =>
      indexPrimaryAsWriter(deps, network, writer),
    ),
  );
  const pricing = keepPricing({ config, databaseUrl, logger, stop: stop.signal });
  return {
    progress,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the indexer stops"));
      await Promise.all([...chains, ...networks, pricing]);
      await database[Symbol.asyncDispose]();
    },
  };
}

interface Deps {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly database: Database;
  readonly logger: Logger;
  readonly progress: Progress[];
  readonly stop: AbortSignal;
}

/** Writes as soon and as long as no other process does. */
async function keepWriting(
  { config, databaseUrl, logger, stop }: Deps,
  name: string,
  named: object,
  write: (writer: Writer) => Promise<void>,
): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop }).catch(() => {});
  let standsBy = false;
  while (!stop.aborted) {
    try {
      const writer = await tryBecomeWriter(databaseUrl, name);
      if (!writer && !standsBy) logger.info(named, "another process writes this; standing by");
      standsBy = !writer;
      if (writer) await write(writer);
      else await pause(config.indexing.standbyPollMs);
    } catch (error) {
      if (stop.aborted) return;
      logger.error({ ...named, err: error }, `indexing broke off and begins again: ${messageOf(error)}`);
      await pause(RETRY_MS);
    }
  }
}

async function indexAsWriter(
  { config, database, logger, progress: all, stop }: Deps,
  chain: EvmChainConfig,
  writer: Writer,
): Promise<void> {
  const chainId = String(chain.chainId);
  const broken = new AbortController();
  const signal = AbortSignal.any([stop, writer.lost, broken.signal]);
  const { requestTimeoutMs, maxConcurrency, maxBatchSize } = config.indexing;
  const { nodeUrl: url, nodeHeaders: headers } = chain;
  const clientOf = (concurrency: number) =>
    createNodeClient({ url, headers, requestTimeoutMs, maxConcurrency: concurrency, maxBatchSize, signal });
  // Contracts that keep a node busy must not slow down what asks it for blocks.
  const share = maxConcurrency >> 2;
  await using node = clientOf(maxConcurrency - share);
  await using tokenNode = share > 0 ? clientOf(share) : null;
  const row = { table: "chain_progress", key: { chain_id: chainId } } as const;
  const progress = createProgress(database.pool, row, chain.chainName, logger);
  all.push(progress);
  try {
    const rules = chainRules(chain);
    const source = createEvmSource(node, chain.traces);
    const parts = [
      indexChain({ rules, writer, source, progress, logger, indexing: config.indexing, signal }),
      indexTokens({ chainId, writer, node: tokenNode ?? node, source, signal }),
      indexNftMetadata({
        chainId,
        writer,
        node: tokenNode ?? node,
        source,
        signal,
        isOn: chain.enabledFeatures.includes("nftIndexing"),
        settings: config.nftMetadata,
      }),
    ];
    // One part that fails ends the other, so that both begin again together.
    for (const part of parts) part.catch((error: unknown) => broken.abort(error));
    await Promise.all(parts.map((part) => part.catch(() => {})));
    if (!stop.aborted) throw broken.signal.reason ?? writer.lost.reason;
  } finally {
    all.splice(all.indexOf(progress), 1);
    await progress[Symbol.asyncDispose]();
    // A session that was lost cannot be ended again.
    await Promise.resolve(writer[Symbol.asyncDispose]()).catch(() => {});
  }
}

/** Names under which the progress of the three is shown. */
const PRIMARY_NAMES = { P: "P-Chain", X: "X-Chain", C: "C-Chain's atomic transactions" } as const;

async function indexPrimaryAsWriter(
  { config, database, logger, progress: all, stop }: Deps,
  settings: PrimaryNetworkConfig,
  writer: Writer,
): Promise<void> {
  const signal = AbortSignal.any([stop, writer.lost]);
  const { requestTimeoutMs, maxConcurrency } = config.indexing;
  const { networkId, nodeUrl: url, nodeHeaders: headers } = settings;
  await using source = createPrimarySource({ url, headers, requestTimeoutMs, maxConcurrency, signal });
  const progressOf = (chain: PrimaryChain) => {
    const row = { table: "primary_progress", key: { network_id: String(networkId), chain } } as const;
    return createProgress(database.pool, row, PRIMARY_NAMES[chain], logger);
  };
  const progress = { P: progressOf("P"), X: progressOf("X"), C: progressOf("C") };
  const own = Object.values(progress);
  all.push(...own);
  try {
    const { evmChains, indexing } = config;
    await indexPrimary({ settings, evmChains, source, writer, progress, indexing, logger, signal });
    if (!stop.aborted) throw writer.lost.reason;
  } finally {
    for (const one of own) all.splice(all.indexOf(one), 1);
    await Promise.all(own.map((one) => one[Symbol.asyncDispose]()));
    // A session that was lost cannot be ended again.
    await Promise.resolve(writer[Symbol.asyncDispose]()).catch(() => {});
  }
}
