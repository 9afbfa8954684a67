import type { Config, EvmChainConfig, PrimaryNetworkConfig } from "../../core/config/config-schema.ts";
import { formatId } from "../../core/formats/id-text.ts";
import { PRIMARY_CHAINS, type PrimaryChain } from "../../core/networks/primary-chains.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { followNode } from "../follow/follow-node.ts";
import type { Progress } from "../shared/progress.ts";
import type { Session, Writer } from "../shared/writer.ts";
import type { PrimarySource } from "./fetch/source.ts";
import { followAtomic } from "./follow/atomic.ts";
import { followBlocks } from "./follow/blocks.ts";
import { followProposers } from "./follow/proposers.ts";
import { checkRules, loadNetwork, RulesChanged } from "./identify/load-network.ts";
import { consensusExceptions } from "./network/consensus-exceptions.ts";
import type { NetworkFacts } from "./network/network.ts";
import type { PrimaryProof } from "./proof/proof.ts";
import { createRawBlockPartition } from "./raw-blocks/entries.ts";
import { evmChainIdOf } from "./replay/p-chain/evm-chain-id.ts";
import { openReplay, type PrimaryReplay } from "./replay/replay.ts";
import { ROWS_VERSION } from "./replay/store/heads.ts";
import type { ExceptionRow } from "./replay/store/outputs/exceptions.ts";

export interface PrimaryDeps {
  readonly settings: PrimaryNetworkConfig;
  /** All configured EVM chains; one of them may be the network's C-Chain. */
  readonly evmChains: readonly EvmChainConfig[];
  readonly source: PrimarySource;
  readonly writer: Writer;
  readonly progress: Readonly<Record<PrimaryChain, Progress>>;
  readonly indexing: Pick<Config["indexing"], "batchBlocks" | "pollIntervalMs">;
  readonly logger: Logger;
  /** Default: none. */
  readonly proof?: PrimaryProof;
  readonly signal: AbortSignal;
}

/**
 * Indexes a primary network until `signal` aborts: first computes the missing rows of the raw blocks, then
 * follows P-, X- and C-Chain in parallel. If the node is down, behind or wrong, a chain waits or stops with the reason in its
 * progress, and is retried. Rejects only if the database fails.
 */
export async function indexPrimary(deps: PrimaryDeps): Promise<void> {
  await createRawBlockPartition(deps.writer, deps.settings.networkId);
  while (!deps.signal.aborted) {
    try {
      const opened = await open(deps);
      if (opened) await followAll(deps, opened.network, opened.replay);
    } catch (error) {
      if (!(error instanceof RulesChanged) && !deps.signal.aborted) throw error;
    }
  }
}

const REBUILDING = "an update or a new configuration changed the rules: the rows are rebuilt from the raw blocks";

async function hasOutdatedRows(session: Session, networkId: number): Promise<boolean> {
  const text = "SELECT FROM primary_heads WHERE network_id = $1 AND rows_version <> $2";
  return (await session.query(text, [networkId, ROWS_VERSION])).length > 0;
}

interface Opened {
  readonly network: NetworkFacts;
  readonly replay: PrimaryReplay;
}

/** Loads the network and opens its replay, and retries until this succeeds. Null if `signal` aborts first. */
async function open(deps: PrimaryDeps): Promise<Opened | null> {
  const { writer, progress, indexing, signal } = deps;
  const ready = new AbortController();
  let opened: Opened | null = null;
  await followNode(
    {
      position: () => null,
      async step() {
        const network = await loadNetwork(deps);
        if (await writer.transaction((session) => hasOutdatedRows(session, network.networkId)))
          for (const one of Object.values(progress)) one.update({ blockNumber: -1, reason: REBUILDING });
        const replay = await openReplay({
          writer,
          network,
          withCChain: evmChainIdOfCChain(deps, network) !== null,
          signal,
          onHead(chain, { blockNumber }, { added, count }) {
            progress[chain].update({ blockNumber, exceptionCount: count });
            logExceptions(deps, network, chain, added);
          },
        });
        opened = { network, replay };
        ready.abort();
        return true;
      },
      report(state) {
        for (const one of Object.values(progress)) one.update(state);
      },
    },
    { pauseMs: indexing.pollIntervalMs, signal: AbortSignal.any([signal, ready.signal]) },
  );
  return opened;
}

/** Writes one line about what consensus accepted in some blocks although the rows contradict it. */
function logExceptions(
  { logger, progress }: PrimaryDeps,
  { networkId }: NetworkFacts,
  chain: PrimaryChain,
  exceptions: readonly ExceptionRow[],
): void {
  const [first] = exceptions;
  if (!first) return;
  const transaction = formatId(first.tx_hash);
  const reason = consensusExceptions(networkId).transactions[transaction];
  logger.warn(
    {
      ...progress[chain].ids,
      exceptions: exceptions.length,
      kind: first.kind,
      transaction,
      ...(first.utxo_id !== null && { output: formatId(first.utxo_id) }),
      ...(reason && { reason }),
    },
    "consensus accepted transactions whose inputs are missing or spent, or whose effect is not possible: they are indexed, and these parts change nothing",
  );
}

async function followAll(deps: PrimaryDeps, network: NetworkFacts, replay: PrimaryReplay): Promise<void> {
  const { settings, source, writer, progress, indexing, logger } = deps;
  const broken = new AbortController();
  const signal = AbortSignal.any([deps.signal, broken.signal]);
  const { networkId } = network;
  for (const chain of PRIMARY_CHAINS) {
    const { blockNumber } = replay.heads[chain];
    // Another reason, such as the failure of an earlier run, stays until the chain works.
    const isRebuilt = progress[chain].current.reason === REBUILDING;
    progress[chain].update({
      ...(isRebuilt ? { state: "BACKFILLING", reason: null } : {}),
      blockNumber,
      fetchedBlockNumber: blockNumber,
      exceptionCount: replay.exceptions[chain],
    });
  }
  const evmChainId = evmChainIdOfCChain(deps, network);
  const atHead = () => deps.proof?.atHead(network);
  const ofChains = { network, settings, source, writer, replay, indexing, atHead, signal };
  const note = (message: string) => logger.info({ networkId }, message);
  const parts = [
    followBlocks({
      ...ofChains,
      chain: "P",
      progress: progress.P,
      note,
      alsoIdentify: () => checkRules(deps, network, replay.heads.P.blockTimestamp),
    }),
    followBlocks({ ...ofChains, chain: "X", progress: progress.X, note }),
    followAtomic({ evmChainId, writer, replay, progress: progress.C, indexing, signal }),
    ...(settings.cChainProposers && settings.index !== "off"
      ? [followProposers({ network, evmChainId, source, writer, indexing, logger, signal })]
      : []),
  ];
  // If one part fails, the others are ended, and all parts restart together.
  for (const part of parts) part.catch((error: unknown) => broken.abort(error));
  await Promise.all(parts.map((part) => part.catch(() => {})));
  if (broken.signal.aborted) throw broken.signal.reason;
}

/** EVM chain id of the configured EVM chain that is the network's C-Chain; null if there is none. */
export function evmChainIdOfCChain(
  { settings, evmChains }: Pick<PrimaryDeps, "settings" | "evmChains">,
  { cChainId, genesis }: NetworkFacts,
): string | null {
  const data = genesis.p.chains.find(({ id }) => id === cChainId)?.genesisData ?? new Uint8Array();
  const chainIdInGenesis = evmChainIdOf(Buffer.from(data));
  const found = evmChains.find(({ network, blockchainId, chainId }) =>
    blockchainId === undefined
      ? network === settings.network && BigInt(chainId) === chainIdInGenesis
      : blockchainId === formatId(cChainId),
  );
  return found ? String(found.chainId) : null;
}
