import type { Config } from "../../../core/config/config-schema.ts";
import { createTaskLimiter, type TaskLimiter } from "../../shared/node/task-limiter.ts";
import { type Idle, type RepeatOptions, repeatPages, SHORT_PAUSE_MS } from "../../shared/repeat-pages.ts";
import type { Writer } from "../../shared/writer.ts";
import type { ContractNode } from "../contract-calls/contract-node.ts";
import { idleUntilDue } from "../contract-calls/next-due.ts";
import { readIfNodeHasBlock } from "../contract-calls/read-if-node-has-block.ts";
import { storeCapability } from "../store/capabilities.ts";
import { type AddressPolicy, PUBLIC_WEB } from "./address-policy.ts";
import { createMetadataClient, type MetadataClient } from "./metadata-client.ts";
import { readMetadata } from "./read-metadata.ts";
import { isTemporary } from "./statuses.ts";
import {
  type Attempt,
  markDone,
  PAGE,
  pendingItems,
  postponeAttempts,
  requeueUnattempted,
  storeAttempts,
} from "./store.ts";

/** Pause if the node does not have the tokens' blocks. */
const RETRY_MS = 1_000;

export interface NftMetadataDeps extends RepeatOptions {
  readonly chainId: string;
  readonly writer: Writer;
  /** The node for the calls of one page. */
  readonly contractNode: () => ContractNode;
  /** Whether the chain has the feature `nftIndexing`. */
  readonly isOn: boolean;
  readonly settings: Config["nftMetadata"];
  /** Which servers URIs may lead to. Default: public internet addresses at the HTTPS port. */
  readonly addressPolicy?: AddressPolicy;
  /** The time in seconds since the epoch; the system's by default. */
  readonly nowSeconds?: () => number;
}

interface MetadataIndexer extends NftMetadataDeps {
  readonly client: MetadataClient;
  readonly limiter: TaskLimiter;
  readonly nowSeconds: () => number;
}

/**
 * Reads the metadata of every token that appears in a transfer, and retries temporary failures, until `signal` aborts. Runs at
 * the same time as the indexing of blocks. Without `nftIndexing` it makes no request. Rejects only if the database fails.
 */
export async function indexNftMetadata(deps: NftMetadataDeps): Promise<void> {
  const { writer, chainId, settings, signal, isOn, addressPolicy = PUBLIC_WEB, nowSeconds = systemSeconds } = deps;
  try {
    const state = { isOn, reason: isOn ? limitsOf(settings) : "nftIndexing is not among the chain's enabledFeatures" };
    await writer.transaction((session) => storeCapability(session, chainId, "nftMetadata", state));
    if (!isOn) return;
    if (settings.remote) await writer.transaction((session) => requeueUnattempted(session, chainId));
    await using client = createMetadataClient({ ...settings, addressPolicy, signal });
    const limiter = createTaskLimiter({ concurrency: settings.maxConcurrency });
    const indexer = { ...deps, client, limiter, nowSeconds };
    await repeatPages(() => indexPage(indexer), deps);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const limitsOf = ({ remote }: Config["nftMetadata"]): string | null =>
  remote ? null : "nftMetadata.remote is off: only metadata in data: URIs is read";

/** Returns when the next page is read, as `repeatPages` expects it. */
async function indexPage(indexer: MetadataIndexer): Promise<number | Idle> {
  const { writer, chainId, limiter, contractNode, nowSeconds } = indexer;
  const now = nowSeconds();
  const { items, idle } = await writer.transaction(async (session) => {
    const items = await pendingItems(session, chainId, now);
    return { items, idle: items.length > 0 ? null : await idleUntilDue(session, "nft_metadata", chainId, now) };
  });
  if (idle) return idle;
  const stored = items.filter(({ isStored }) => isStored);
  if (stored.length > 0) await writer.transaction((session) => markDone(session, chainId, stored));
  const unread = items.filter(({ isStored }) => !isStored);
  const newest = unread.toSorted((a, b) => a.firstBlockNumber - b.firstBlockNumber).at(-1);
  const { node, source } = contractNode();
  const deps = { ...indexer, node };
  const attemptAll = () => Promise.all(unread.map((item) => limiter.run(() => readMetadata(deps, item, nowSeconds))));
  const attempts = newest ? await readIfNodeHasBlock(source, newest, attemptAll) : [];
  if (attempts === null) return RETRY_MS;
  await store(indexer, attempts);
  return items.length >= PAGE ? 0 : SHORT_PAUSE_MS;
}

async function store({ writer, chainId }: MetadataIndexer, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  await writer.transaction(async (session) => {
    await postponeAttempts(session, chainId, attempts.filter(keepsMetadata));
    await storeAttempts(
      session,
      chainId,
      attempts.filter((attempt) => !keepsMetadata(attempt)),
    );
  });
}

/** True if the attempt says nothing about the token, and there is a result of an earlier attempt. */
function keepsMetadata({ item, indexStatus, nodeFailures }: Attempt): boolean {
  if (nodeFailures > 0) return item.indexStatus !== null;
  return item.indexStatus === "INDEXED" && isTemporary(indexStatus);
}

const systemSeconds = (): number => Math.floor(Date.now() / 1_000);
