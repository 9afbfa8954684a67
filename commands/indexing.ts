import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config, EvmChainConfig } from "../core/config/config-schema.ts";
import type { Placement } from "../core/database/placement.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { Failure, quoted } from "../core/errors/errors.ts";
import { isEvmAddress } from "../core/formats/address.ts";
import { createChains } from "../core/networks/chains.ts";
import { nodesOf } from "../core/networks/nodes.ts";
import { backfillMetadata, backfillTraces, type QueuedMetadata } from "../indexer/evm/commands/backfill.ts";
import type { CommandDeps } from "../indexer/evm/commands/command.ts";
import { compactIndexes } from "../indexer/evm/commands/compact.ts";
import { findGaps } from "../indexer/evm/commands/gaps/find-gaps.ts";
import { gapsReport } from "../indexer/evm/commands/gaps/report.ts";
import { replayChain } from "../indexer/evm/commands/replay.ts";
import { chainRules } from "../indexer/evm/decode/chain-rules.ts";
import { createNodePool } from "../indexer/evm/nodes/node-pool.ts";
import { createPrimaryNodes } from "../indexer/primary/nodes/primary-nodes.ts";
import { replayNetwork } from "../indexer/primary/replay-network.ts";
import { joinDemo } from "./demo.ts";
import { endedByUser } from "./ended-by-user.ts";
import { type Outcome, told } from "./program/command.ts";

/** Does something with an EVM chain. */
type Task = (deps: CommandDeps, chain: EvmChainConfig, config: Config) => Promise<Outcome>;

/** `moraine replay --chain`. */
export const replayEvmChain = (chain: string, flags: readonly string[]): Promise<Outcome> =>
  withChain(chain, flags, async (deps) => told(await replayChain(deps)));

/** `moraine replay --network`. */
export const replayPrimaryNetwork = (network: string, flags: readonly string[]): Promise<Outcome> =>
  inSettings(flags, async (config, placement, signal) => told(await replayPrimary(config, placement, network, signal)));

/** `moraine gaps`. */
export const reportGaps = (chain: string, repair: boolean, flags: readonly string[]): Promise<Outcome> =>
  withChain(chain, flags, async (deps) => {
    const found = await findGaps(deps, repair);
    const { text, isComplete } = gapsReport(found, repair, deps.rules.chainId);
    return { text, data: found, exitCode: isComplete ? 0 : 1 };
  });

/** `moraine compact`. */
export const compactChain = (chain: string, flags: readonly string[]): Promise<Outcome> =>
  withChain(chain, flags, async (deps) => told(await compactIndexes(deps)));

/** `moraine backfill traces`. */
export function loadTraces(
  chain: string,
  range: { readonly from?: string | undefined; readonly to?: string | undefined },
  flags: readonly string[],
): Promise<Outcome> {
  const from = blockNumber("from", range.from) ?? 0;
  const to = blockNumber("to", range.to) ?? Number.MAX_SAFE_INTEGER;
  if (from > to) throw new ConfigError(`--from must be at most --to, got ${from} and ${to}`);
  return withChain(chain, flags, async (deps) => {
    const { traced, skipped } = await backfillTraces(deps, { from, to });
    const more =
      skipped > 0
        ? `, ${skipped} blocks skipped because the node returned other blocks at these heights: run the command again`
        : "";
    return { text: `chain ${deps.rules.chainId}: ${traced} blocks traced${more}`, data: { traced, skipped } };
  });
}

/** Which metadata `moraine backfill metadata` queues. */
interface MetadataScope {
  readonly contract?: string | undefined;
  readonly token?: string | undefined;
  readonly all?: boolean | undefined;
}

/** `moraine backfill metadata`. */
export function queueMetadata(
  chain: string,
  { contract, token, all = false }: MetadataScope,
  flags: readonly string[],
): Promise<Outcome> {
  if (contract !== undefined && !isEvmAddress(contract))
    throw new ConfigError(`--contract is ${quoted(contract)}: must be an address of 0x and 40 hex digits`);
  if (token !== undefined && !/^\d{1,78}$/.test(token))
    throw new ConfigError(`--token is ${quoted(token)}: must be a decimal token id`);
  const scope = {
    ...(contract === undefined ? {} : { address: contract.toLowerCase() }),
    ...(token === undefined ? {} : { tokenId: token }),
    onlyFailed: !all,
  };
  return withChain(chain, flags, async (deps, settings, { nftMetadata }) => {
    const queued = await backfillMetadata(deps, scope, settings);
    return { text: `chain ${deps.rules.chainId}: ${queuedText(queued, nftMetadata)}`, data: queued };
  });
}

function queuedText({ contracts, nfts }: QueuedMetadata, { remote }: Config["nftMetadata"]): string {
  const queued = `${contracts} contracts and ${nfts ?? 0} NFTs queued; the indexer reads their metadata again`;
  if (nfts === null) return `${queued}; NFTs were left out, because nftIndexing is not among the enabledFeatures`;
  return remote ? queued : `${queued}; it reads only data: URIs of NFTs, because nftMetadata.remote is false`;
}

function blockNumber(name: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new ConfigError(`--${name} is ${quoted(value)}: must be a block number`);
}

/** Runs a task with the settings, those of the demo included, and the databases that they name. */
async function inSettings(
  flags: readonly string[],
  task: (config: Config, placement: Placement, signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const configured = loadConfig(process.env, flags);
  const signal = endedByUser("interrupted: run the command again to continue");
  await using database = await openCommandDatabase(configured, signal);
  await using demo = await joinDemo(configured);
  return await task(demo.config, await database.placement(), signal);
}

function withChain(name: string, flags: readonly string[], task: Task): Promise<Outcome> {
  return inSettings(flags, async (config, placement, signal) => {
    const chain = chainOf(config, name);
    const url = placement.evm(chain.chainId);
    const { chainId, traces } = chain;
    const nodes = nodesOf(chain);
    await using pool = createNodePool({ chainId, nodes, traces, indexing: config.indexing, signal });
    const { source } = pool;
    const deps = { url, rules: chainRules(chain), source, signal, report: (line: string) => console.error(line) };
    return await task(deps, chain, config);
  });
}

/** Throws `ConfigError` for a network that is not configured. */
async function replayPrimary(
  { primaryNetworks, indexing }: Config,
  placement: Placement,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const settings = primaryNetworks.find(({ network }) => network === name);
  if (!settings) {
    const known = primaryNetworks.map(({ network }) => network).join(", ");
    throw new ConfigError(`--network is ${quoted(name)}: must be a configured primary network (${known || "none"})`);
  }
  const url = placement.primary(settings.networkId);
  await using nodes = createPrimaryNodes({ settings, indexing, signal });
  return await replayNetwork({ url, settings, source: nodes.source, signal, report: (line) => console.error(line) });
}

function chainOf(config: Config, chain: string): EvmChainConfig {
  try {
    return createChains(config).require(chain);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const known = config.evmChains.map(({ chainId }) => chainId).join(", ");
    throw new ConfigError(`--chain is ${quoted(chain)}: must be a configured chain (${known || "none"})`);
  }
}
