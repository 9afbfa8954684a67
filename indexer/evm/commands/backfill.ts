import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { NOTIFY_METADATA_REQUEST } from "../../../core/database/metadata-requests.ts";
import { tryBecomeWriter } from "../../shared/writer.ts";
import type { BlockRange } from "../block-range.ts";
import { requeueNftMetadata } from "../nft/store.ts";
import { createPartitionsOnDemand } from "../store/partitions-on-demand.ts";
import { untracedRanges } from "../store/untraced-ranges.ts";
import { requeueContracts } from "../tokens/store.ts";
import { writeTraces } from "../traces/write-traces.ts";
import { type CommandDeps, CommandRefused, createThrottledReport } from "./command.ts";

/** Number of blocks that are fetched together and written in one transaction. */
const PAGE = 50;

export interface BackfillResult {
  readonly traced: number;
  /** Number of blocks for which the node returned another hash than the indexed hash, because of a reorganisation. */
  readonly skipped: number;
}

/**
 * Fetches the call trees of blocks in `within` that were indexed without them. The indexer may run at the same time. An
 * interrupted backfill can be run again. Rejects with `NodeUnavailable` if the node refuses the call trees of a block or returns wrong ones, and
 * with `CommandRefused` if another backfill of the chain is running.
 */
export async function backfillTraces(deps: CommandDeps, within: BlockRange): Promise<BackfillResult> {
  const { url, rules, source, signal } = deps;
  const { chainId } = rules;
  await using writer = await tryBecomeWriter(url, `${chainId} backfill`);
  if (!writer)
    throw new CommandRefused(
      `another process runs a backfill of chain ${chainId}: run the command again when it has ended`,
    );
  const tracing = createPartitionsOnDemand(writer, chainId);
  const ranges = intersect(await writer.transaction((session) => untracedRanges(session, chainId)), within);
  const total = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const done = { traced: 0, skipped: 0 };
  const report = createThrottledReport(deps.report);
  for (const numbers of pagesOf(ranges)) {
    signal.throwIfAborted();
    const raws = await Promise.all(numbers.map((number) => source.tracedBlock(number)));
    const { size: written } = await writeTraces(tracing, chainId, raws);
    done.traced += written;
    done.skipped += raws.length - written;
    report(() => `chain ${chainId}: ${done.traced + done.skipped} of ${total} blocks, at block ${numbers.at(-1)}`);
  }
  return done;
}

/** Selects the contracts and NFTs whose metadata is read again. */
export interface MetadataFilter {
  /** Address of a contract. */
  readonly address?: string;
  /** Selects one NFT of the contract, and not the contract itself. */
  readonly tokenId?: string;
  /** True to select only contracts without name and symbol, and NFTs without metadata. */
  readonly onlyFailed: boolean;
}

export interface QueuedMetadata {
  /** Number of contracts that will be called again for name, symbol and decimals. */
  readonly contracts: number;
  /** Number of NFTs; null if the chain does not have the feature `nftIndexing`. */
  readonly nfts: number | null;
}

/**
 * Schedules the metadata of contracts and NFTs to be read again by the running indexer. Rejects with `CommandRefused` for one NFT of
 * a chain without the feature `nftIndexing`, and while another process schedules metadata of the chain.
 */
export async function backfillMetadata(
  { url, rules }: Pick<CommandDeps, "url" | "rules">,
  filter: MetadataFilter,
  { enabledFeatures }: Pick<EvmChainConfig, "enabledFeatures">,
): Promise<QueuedMetadata> {
  const { chainId } = rules;
  const hasNfts = enabledFeatures.includes("nftIndexing");
  if (!hasNfts && filter.tokenId !== undefined)
    throw new CommandRefused(
      `nftIndexing is not among the enabledFeatures of chain ${chainId}: add it to the settings to index the metadata of NFTs`,
    );
  await using writer = await tryBecomeWriter(url, `${chainId} metadata`);
  if (!writer)
    throw new CommandRefused(
      `another process queues the metadata of chain ${chainId}: run the command again when it has ended`,
    );
  return await writer.transaction(async (session) => {
    const contracts = filter.tokenId === undefined ? await requeueContracts(session, chainId, filter) : 0;
    const nfts = hasNfts ? await requeueNftMetadata(session, chainId, filter) : null;
    await session.query(NOTIFY_METADATA_REQUEST, [chainId]);
    return { contracts, nfts };
  });
}

function intersect(ranges: readonly BlockRange[], within: BlockRange): BlockRange[] {
  return ranges
    .map(({ from, to }) => ({ from: Math.max(from, within.from), to: Math.min(to, within.to) }))
    .filter(({ from, to }) => from <= to);
}

/** The block numbers of the ranges, in pages. */
function* pagesOf(ranges: readonly BlockRange[]): Generator<number[]> {
  let page: number[] = [];
  for (const { from, to } of ranges) {
    for (let number = from; number <= to; number++) {
      page.push(number);
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}
