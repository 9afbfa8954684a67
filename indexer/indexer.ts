import { setTimeout as sleep } from "node:timers/promises";
import type { Config, EvmChainConfig } from "../core/config-schema.ts";
import { type Database, openDatabase } from "../core/database.ts";
import { messageOf } from "../core/errors.ts";
import type { Logger } from "../core/logger.ts";
import { indexChain } from "./evm/index-chain.ts";
import { chainRules } from "./evm/rules.ts";
import { createEvmSource } from "./evm/source.ts";
import { indexTokens } from "./evm/tokens.ts";
import { indexNftMetadata } from "./nft/index-nft-metadata.ts";
import { createNodeClient } from "./node-client.ts";
import { keepPricing } from "./prices/poll.ts";
import { createProgress, type Progress } from "./progress.ts";
import { tryBecomeWriter, type Writer } from "./writer.ts";

const RETRY_MS = 1_000;

/** A running indexer: the progress of the chains that this process writes; disposing it ends the writing. */
export interface Indexer extends AsyncDisposable {
  readonly progress: readonly Progress[];
}

/**
 * Indexes every configured chain. For each chain one process is the writer; the others stand by and take over when it
 * goes. A failing database only delays: it is tried again.
 */
export function startIndexer(config: Config, databaseUrl: string, logger: Logger): Indexer {
  const stop = new AbortController();
  const database = openDatabase(databaseUrl, 2, logger);
  const progress: Progress[] = [];
  const running = config.evmChains.map((chain) =>
    keepIndexing({ chain, config, databaseUrl, database, logger, progress, stop: stop.signal }),
  );
  const pricing = keepPricing({ config, databaseUrl, logger, stop: stop.signal });
  return {
    progress,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the indexer stops"));
      await Promise.all([...running, pricing]);
      await database[Symbol.asyncDispose]();
    },
  };
}

interface Deps {
  readonly chain: EvmChainConfig;
  readonly config: Config;
  readonly databaseUrl: string;
  readonly database: Database;
  readonly logger: Logger;
  readonly progress: Progress[];
  readonly stop: AbortSignal;
}

async function keepIndexing(deps: Deps): Promise<void> {
  const { chain, config, databaseUrl, logger, stop } = deps;
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop }).catch(() => {});
  let standsBy = false;
  while (!stop.aborted) {
    try {
      const writer = await tryBecomeWriter(databaseUrl, String(chain.chainId));
      if (!writer && !standsBy)
        logger.info({ chainId: chain.chainId }, "another process writes this chain; standing by");
      standsBy = !writer;
      if (writer) await indexAsWriter(deps, writer);
      else await pause(config.indexing.standbyPollMs);
    } catch (error) {
      if (stop.aborted) return;
      logger.error({ chainId: chain.chainId, err: error }, `indexing broke off and begins again: ${messageOf(error)}`);
      await pause(RETRY_MS);
    }
  }
}

async function indexAsWriter(
  { chain, config, database, logger, progress: all, stop }: Deps,
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
  const progress = createProgress(database.pool, chainId, chain.chainName, logger);
  all.push(progress);
  try {
    const rules = chainRules(chain);
    const source = createEvmSource(node, chain.traces);
    const parts = [
      indexChain({ rules, writer, source, progress, indexing: config.indexing, signal }),
      indexTokens({ chainId, writer, node: tokenNode ?? node, source, signal }),
      indexNftMetadata({
        ...{ chainId, writer, node: tokenNode ?? node, source, signal },
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
