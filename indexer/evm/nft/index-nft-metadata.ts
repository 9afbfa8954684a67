import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../../core/config-schema.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import { createTaskLimiter, type TaskLimiter } from "../../shared/node/task-limiter.ts";
import type { Writer } from "../../shared/writer.ts";
import { readIfNodeHasBlock } from "../contract-calls/read-if-node-has-block.ts";
import { createRetryDelays, type RetryDelays } from "../contract-calls/retry-delays.ts";
import type { EvmSource } from "../fetch/source.ts";
import { storeCapability } from "../store/capabilities.ts";
import { type AddressPolicy, PUBLIC_WEB } from "./address-policy.ts";
import type { Token } from "./fetch-token-uri.ts";
import { createMetadataClient, type MetadataClient } from "./metadata-client.ts";
import { readMetadata } from "./read-metadata.ts";
import { isTemporary } from "./statuses.ts";
import {
  type Attempt,
  type Item,
  markDone,
  PAGE,
  pendingItems,
  postponeAttempts,
  requeueUnattempted,
  storeAttempts,
} from "./store.ts";

/** Pause if no token is pending. */
const IDLE_MS = 250;
/** Pause if the node does not have the tokens' blocks. */
const RETRY_MS = 1_000;

export interface NftMetadataDeps {
  readonly chainId: string;
  readonly writer: Writer;
  readonly node: NodeClient;
  readonly source: Pick<EvmSource, "blockRef">;
  readonly signal: AbortSignal;
  /** Whether the chain has the feature `nftIndexing`. */
  readonly isOn: boolean;
  readonly settings: Config["nftMetadata"];
  /** Which servers URIs may lead to. Default: public internet addresses at the HTTPS port. */
  readonly addressPolicy?: AddressPolicy;
  /** Delays of the tokens whose contract the node could not call. Default: one second after the first failure. */
  readonly delays?: RetryDelays;
}

interface MetadataIndexer extends NftMetadataDeps {
  readonly client: MetadataClient;
  readonly limiter: TaskLimiter;
  readonly delays: RetryDelays;
}

/**
 * Reads the metadata of every token that appears in a transfer, and retries temporary failures, until `signal` aborts. Runs at
 * the same time as the indexing of blocks. Without `nftIndexing` it makes no request. Rejects only if the database fails.
 */
export async function indexNftMetadata(deps: NftMetadataDeps): Promise<void> {
  const { writer, chainId, settings, signal, isOn, addressPolicy = PUBLIC_WEB, delays = createRetryDelays() } = deps;
  try {
    const state = { isOn, reason: isOn ? limitsOf(settings) : "nftIndexing is not among the chain's enabledFeatures" };
    await writer.transaction((session) => storeCapability(session, chainId, "nftMetadata", state));
    if (!isOn) return;
    if (settings.remote) await writer.transaction((session) => requeueUnattempted(session, chainId));
    await using client = createMetadataClient({ ...settings, addressPolicy, signal });
    const limiter = createTaskLimiter({ concurrency: settings.maxConcurrency });
    const indexer = { ...deps, client, limiter, delays };
    for (;;) await sleep(await indexPage(indexer), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const limitsOf = ({ remote }: Config["nftMetadata"]): string | null =>
  remote ? null : "nftMetadata.remote is off: only metadata in data: URIs is read";

/** Returns the pause before the next page, in milliseconds. */
async function indexPage(indexer: MetadataIndexer): Promise<number> {
  const { writer, chainId, delays, limiter, source } = indexer;
  const delayed = delays.delayed().map(parseKey);
  const items = await writer.transaction((session) => pendingItems(session, chainId, nowSeconds(), delayed));
  const stored = items.filter(({ isStored }) => isStored);
  if (stored.length > 0) await writer.transaction((session) => markDone(session, chainId, stored));
  const unread = items.filter(({ isStored }) => !isStored);
  const newest = unread.toSorted((a, b) => a.firstBlockNumber - b.firstBlockNumber).at(-1);
  const attemptAll = () => Promise.all(unread.map((item) => limiter.run(() => attemptOrDelay(indexer, item))));
  const attempts = newest ? await readIfNodeHasBlock(source, newest, attemptAll) : [];
  if (attempts === null) return RETRY_MS;
  await store(
    indexer,
    attempts.filter((attempt) => attempt !== null),
  );
  return items.length >= PAGE ? 0 : IDLE_MS;
}

async function store({ writer, chainId }: MetadataIndexer, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const keepsMetadata = ({ item, indexStatus }: Attempt) => item.indexStatus === "INDEXED" && isTemporary(indexStatus);
  await writer.transaction(async (session) => {
    await postponeAttempts(session, chainId, attempts.filter(keepsMetadata));
    await storeAttempts(
      session,
      chainId,
      attempts.filter((attempt) => !keepsMetadata(attempt)),
    );
  });
}

/** Null if the node could not call the contract; the token is then delayed. */
async function attemptOrDelay(indexer: MetadataIndexer, item: Item): Promise<Attempt | null> {
  const { delays } = indexer;
  try {
    const attempt = await readMetadata(indexer, item, nowSeconds);
    delays.succeeded(keyOf(item));
    return attempt;
  } catch (error) {
    if (!(error instanceof NodeUnavailable)) throw error;
    delays.failed(keyOf(item));
    return null;
  }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

const keyOf = ({ address, tokenId }: Token): string => `${address} ${tokenId}`;

function parseKey(key: string): Pick<Token, "address" | "tokenId"> {
  const [address = "", tokenId = ""] = key.split(" ");
  return { address, tokenId };
}
