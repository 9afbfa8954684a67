import type { Config } from "../../../core/config/config-schema.ts";
import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { decodeContainer, type ProposerBlock } from "../../../core/formats/codec/blocks/proposer-blocks.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { createBatchSize } from "../../follow/batch-size.ts";
import { followNode } from "../../follow/follow-node.ts";
import { storeInOrder } from "../../follow/store-in-order.ts";
import { decodeNamed, type GoodPrefix, mapGoodPrefix } from "../../shared/good-prefix.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import { type CBlock, decodeCBlock } from "../decode/c-blocks.ts";
import { type ChainTip, nextTip } from "../decode/links.ts";
import type { IndexedContainer } from "../fetch/container-index.ts";
import type { PrimarySource } from "../fetch/source.ts";
import { identifyNetwork } from "../identify/identify-network.ts";
import type { NetworkFacts } from "../network/network.ts";
import { proposerColumns } from "../replay/store/proposer-columns.ts";
import { copyRows } from "../replay/store/rows.ts";
import type { RowOf } from "../replay/store/tables.ts";

export interface ProposerDeps {
  readonly network: NetworkFacts;
  /** EVM chain id of the C-Chain, whose indexed blocks must match; null if it is not configured as an EVM chain. */
  readonly evmChainId: string | null;
  readonly source: PrimarySource;
  readonly writer: Writer;
  readonly indexing: Pick<Config["indexing"], "batchBlocks" | "pollIntervalMs">;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Block type of the C-Chain. The REST specification names no block type for it. */
const C_BLOCK_TYPE = "EvmBlock";
/** Pause before the next request to a node that has no index of the C-Chain. */
const NO_INDEX_RETRY_MS = 60_000;

/**
 * Indexes the C-Chain's blocks with their proposers, which only the node's index has, until `signal` aborts. Failures of the node
 * are logged and retried; no chain waits for this task. Rejects only if the database fails.
 */
export async function followProposers(deps: ProposerDeps): Promise<void> {
  const { source, network, writer, indexing, logger, signal } = deps;
  const { networkId } = network;
  let tip = await writer.transaction((session) => loadTip(session, network, deps.evmChainId));
  let loggedReason: string | null = null;
  await followNode(
    {
      position: () => tip?.height,
      async identify() {
        await identifyNetwork(source, network);
        const served = await source.chainId("C");
        if (served !== null && served !== network.cChainId)
          throw new BadUpstreamData(`the node's C-Chain is ${formatId(served)}, not ${formatId(network.cChainId)}`);
        if ((await source.containers.C.length()) === null)
          throw new NodeUnavailable("the node's index of the C-Chain is switched off", NO_INDEX_RETRY_MS);
        // The EVM indexer may have stored the genesis block in the meantime.
        if (tip === null) tip = await writer.transaction((session) => loadTip(session, network, deps.evmChainId));
      },
      async step() {
        await catchUp(deps, tip, (reached) => {
          tip = reached;
        });
        return true;
      },
      report({ state, reason, detail }) {
        if (reason !== loggedReason)
          logger.info(
            { networkId, state, reason, ...(detail && { detail }) },
            "the proposers of the C-Chain's blocks cannot be indexed",
          );
        loggedReason = reason;
      },
    },
    { pauseMs: indexing.pollIntervalMs, signal },
  );
}

/** Indexes the containers after the last row. `reached` is called with the last block of each transaction. */
async function catchUp(
  deps: ProposerDeps,
  from: ChainTip | null,
  reached: (tip: ChainTip | null) => void,
): Promise<void> {
  const { source, writer, network, evmChainId, indexing, signal } = deps;
  let tip = from;
  const size = createBatchSize(indexing.batchBlocks);
  const nameOf = ({ block }: CContainer) => `block ${block.number} of the C-Chain (0x${block.hash})`;
  const write = async (some: readonly CContainer[]) => {
    await writer.transaction((session) => store(session, network.networkId, evmChainId, some), { relaxed: true });
    tip = some.at(-1)?.tip ?? tip;
    reached(tip);
  };
  for (;;) {
    signal.throwIfAborted();
    const containers = await source.containers.C.from(tip?.height ?? 0, size.current);
    if (containers.length === 0) return;
    const { good, failure } = await checkFetched(tip, containers);
    await size.measure(() => storeInOrder(good, { write, nameOf }));
    if (failure) throw failure;
  }
}

interface CContainer {
  readonly proposer: ProposerBlock | null;
  readonly block: CBlock;
  /** The chain's tip after the block. */
  readonly tip: ChainTip;
}

/** Decodes containers and checks that they follow the tip; null before the first block. */
function checkFetched(from: ChainTip | null, containers: readonly IndexedContainer[]): Promise<GoodPrefix<CContainer>> {
  let tip = from;
  return mapGoodPrefix(containers, ({ id, bytes }) => {
    const decoded = decodeNamed(
      () => `block ${(tip?.height ?? 0) + 1} of the C-Chain`,
      () => decodeIndexed(bytes),
    );
    tip = nextTip("C", tip ?? genesisTip(decoded.block), linkedBlock(decoded.block), decoded.proposer, id);
    return { ...decoded, tip };
  });
}

function decodeIndexed(bytes: Uint8Array): Omit<CContainer, "tip"> {
  const { proposer, block } = decodeContainer(bytes);
  return { proposer, block: decodeCBlock(block) };
}

const linkedBlock = ({ hash, parentHash, number }: CBlock) => ({ id: hash, parentId: parentHash, height: number });

/** The genesis block, from the parent hash of block 1, because no index contains it. */
const genesisTip = ({ parentHash }: CBlock): ChainTip => ({ height: 0, blockId: parentHash, containerId: parentHash });

/** The last indexed block, or the genesis block of the EVM chain; null if neither is indexed. */
async function loadTip(
  session: Session,
  { networkId }: NetworkFacts,
  evmChainId: string | null,
): Promise<ChainTip | null> {
  const [last] = await session.query<{ height: string; hash: string; container: string }>(
    `SELECT block_number AS height, encode(block_hash, 'hex') AS hash, encode(coalesce(proposer_id, block_hash), 'hex') AS container
     FROM primary_blocks WHERE network_id = $1 AND chain = 'C' ORDER BY block_number DESC LIMIT 1`,
    [networkId],
  );
  if (last) return { height: Number(last.height), blockId: last.hash, containerId: last.container };
  const [genesis] = await session.query<{ hash: string }>(
    "SELECT encode(block_hash, 'hex') AS hash FROM evm_blocks WHERE chain_id = $1 AND block_number = 0",
    [evmChainId ?? -1],
  );
  return genesis ? { height: 0, blockId: genesis.hash, containerId: genesis.hash } : null;
}

async function store(
  session: Session,
  networkId: number,
  evmChainId: string | null,
  containers: readonly CContainer[],
): Promise<void> {
  await checkAgainstEvmChain(session, evmChainId, containers);
  await copyRows(session, networkId, "primary_blocks", containers.map(rowOf));
}

function rowOf({ block, proposer }: CContainer): RowOf<"primary_blocks"> {
  const { hash, parentHash, number, timestamp, transactionHashes, size } = block;
  return {
    chain: "C",
    block_number: number,
    block_hash: hash,
    parent_hash: parentHash,
    block_type: C_BLOCK_TYPE,
    block_timestamp: timestamp,
    tx_hashes: transactionHashes,
    size_bytes: size,
    ...proposerColumns(proposer, null),
    l1_validators_accrued_fees: null,
    active_l1_validators: null,
    current_supply: null,
  };
}

/** Checks that the blocks are the ones that the EVM indexer has stored. Throws `BadUpstreamData`. */
async function checkAgainstEvmChain(
  session: Session,
  evmChainId: string | null,
  containers: readonly CContainer[],
): Promise<void> {
  const [other] = await session.query<{ number: string; hash: string }>(
    `SELECT block_number AS number, encode(block_hash, 'hex') AS hash
     FROM unnest($2::bigint[], $3::text[]) AS given(number, hash) JOIN evm_blocks ON block_number = number
     WHERE chain_id = $1 AND block_hash <> decode(hash, 'hex') LIMIT 1`,
    [evmChainId ?? -1, containers.map(({ block }) => block.number), containers.map(({ block }) => block.hash)],
  );
  if (other)
    throw new BadUpstreamData(
      `block ${other.number} in the node's index of the C-Chain is not 0x${other.hash}, which is indexed as the EVM block`,
    );
}
