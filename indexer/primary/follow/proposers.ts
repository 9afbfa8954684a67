import { type CBlock, decodeCBlock } from "../../../core/codec/blocks/c-blocks.ts";
import { decodeContainer, type ProposerBlock } from "../../../core/codec/blocks/proposer-blocks.ts";
import type { Config } from "../../../core/config-schema.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import { formatId } from "../../../core/id-text.ts";
import type { Logger } from "../../../core/logger.ts";
import { mapInTurns } from "../../../core/yield-to-event-loop.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import { type Link, nextLink } from "../decode/links.ts";
import type { IndexedContainer } from "../fetch/container-index.ts";
import type { PrimarySource } from "../fetch/source.ts";
import { identifyNetwork } from "../identify/identify-chain.ts";
import type { NetworkFacts } from "../network/network.ts";
import { encoders, type RowOf, TABLES } from "../replay/store/columns.ts";
import { proposerColumns } from "../replay/store/proposer-columns.ts";
import { keepFollowing, nextSize, storing } from "./loop.ts";

export interface ProposerDeps {
  readonly network: NetworkFacts;
  /** EVM chain id of the C-Chain, with whose blocks these must agree; null when none is configured. */
  readonly evmChainId: string | null;
  readonly source: PrimarySource;
  readonly writer: Writer;
  readonly indexing: Pick<Config["indexing"], "batchBlocks" | "pollIntervalMs">;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** No document names the type of the C-Chain's blocks, of which there is only one. */
export const C_BLOCK_TYPE = "EvmBlock";
const FIRST_BATCH = 20;
/** A node without the index is asked again so seldom. */
const WITHOUT_INDEX_MS = 60_000;

/**
 * Keeps the rows of the C-Chain's blocks up with the node's index of it, which alone says who proposed them. What is
 * missing is only logged: no chain waits for this.
 */
export async function followProposers(deps: ProposerDeps): Promise<void> {
  const { source, network, writer, indexing, logger, signal } = deps;
  const { networkId } = network;
  let end = await writer.transaction((session) => loadEnd(session, network, deps.evmChainId));
  let said = "";
  await keepFollowing(
    {
      position: () => end?.height,
      async identify() {
        await identifyNetwork(source, network);
        const served = await source.chainId("C");
        if (served !== null && served !== network.cChainId)
          throw new BadUpstreamData(`the node's C-Chain is ${formatId(served)}, not ${formatId(network.cChainId)}`);
        if ((await source.containers.C.length()) === null)
          throw new NodeUnavailable("the node's index of the C-Chain is switched off", WITHOUT_INDEX_MS);
        // The genesis may have been indexed since.
        if (end === null) end = await writer.transaction((session) => loadEnd(session, network, deps.evmChainId));
      },
      step: () =>
        catchUp(deps, end, (reached) => {
          end = reached;
        }),
      report(state, reason, detail) {
        if (reason !== said)
          logger.info(
            { networkId, state, reason, ...(detail && { detail }) },
            "proposers of the C-Chain's blocks are missing",
          );
        said = reason;
      },
    },
    indexing.pollIntervalMs,
    signal,
  );
}

/** Takes in what the index has beyond the last row, and tells how far it has got. */
async function catchUp(deps: ProposerDeps, from: Link | null, reached: (end: Link | null) => void): Promise<void> {
  const { source, writer, network, evmChainId, indexing, signal } = deps;
  let end = from;
  for (let size = Math.min(FIRST_BATCH, indexing.batchBlocks); ; ) {
    signal.throwIfAborted();
    const containers = await source.containers.C.from(end?.height ?? 0, size);
    if (containers.length === 0) return;
    const startedAt = performance.now();
    const blocks = await mapInTurns(containers, async (container) => readContainer(container));
    let next = end;
    for (const { block, proposer, id } of blocks)
      next = nextLink("the C-Chain", next ?? genesisOf(block), placed(block), proposer, id);
    await storing(`C-Chain blocks after ${end?.height ?? 0}`, () =>
      writer.transaction((session) => store(session, network.networkId, evmChainId, blocks), { relaxed: true }),
    );
    end = next;
    reached(end);
    size = nextSize(size, performance.now() - startedAt, indexing.batchBlocks);
  }
}

interface CContainer {
  readonly id: string;
  readonly proposer: ProposerBlock | null;
  readonly block: CBlock;
}

function readContainer({ id, bytes }: IndexedContainer): CContainer {
  const { proposer, block } = decodeContainer(bytes);
  return { id, proposer, block: decodeCBlock(block) };
}

const placed = ({ hash, parentHash, number }: CBlock) => ({ id: hash, parentId: parentHash, height: number });

/** The genesis, which is in no index, as block 1 names it. */
const genesisOf = ({ parentHash }: CBlock): Link => ({ height: 0, blockId: parentHash, containerId: parentHash });

/** The last row, or the genesis as it is indexed as an EVM chain; null where it is not. */
async function loadEnd(session: Session, { networkId }: NetworkFacts, evmChainId: string | null): Promise<Link | null> {
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

const COLUMNS = ["network_id", ...Object.keys(TABLES.primary_blocks)];

async function store(
  session: Session,
  networkId: number,
  evmChainId: string | null,
  containers: readonly CContainer[],
): Promise<void> {
  await refuseOthers(session, evmChainId, containers);
  await session.copy(
    "primary_blocks",
    COLUMNS,
    containers.map((container) => [String(networkId), ...encoders.primary_blocks({ ...rowOf(container) })]),
  );
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

/** Where both say something of a block, the index and the EVM chain must say the same. */
async function refuseOthers(
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
    throw new BadUpstreamData(`block ${other.number} of the node's C-Chain is not 0x${other.hash}, which is indexed`);
}
