import type { Vertex } from "../../../core/codec/blocks/vertices.ts";
import type { XBlock } from "../../../core/codec/blocks/x-blocks.ts";
import type { GenesisAsset } from "../../../core/codec/genesis/x-genesis.ts";
import { emittedOutputs } from "../../../core/codec/transactions/outputs.ts";
import type { XTransaction, XTransactionOf } from "../../../core/codec/transactions/x-transactions.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import type { NetworkFacts } from "../network/network.ts";
import type { Batch, Place } from "./store/batch.ts";
import type { Proposer } from "./store/proposer-columns.ts";
import { listUnder, transactionRow } from "./transactions/transaction-row.ts";
import { move, utxoRow } from "./transactions/utxo-changes.ts";

/** Where the X-Chain's rows go. */
export interface XReplay {
  readonly batch: Batch;
  readonly network: NetworkFacts;
  /** Number of the chain's next transaction. */
  txSeq: number;
}

/** Applies a block that follows the last one. */
export function applyXBlock(replay: XReplay, block: XBlock, proposer: Proposer): void {
  const { id, height, parentId, blockType, time, transactions, size } = block;
  const place: Place = { chain: "X", blockNumber: height, blockHash: id, vertexIndex: null, timestamp: time };
  for (const tx of transactions) applyTransaction(replay, tx, place);
  replay.batch.add("primary_blocks", {
    chain: "X",
    block_number: height,
    block_hash: id,
    parent_hash: parentId,
    block_type: blockType,
    block_timestamp: time,
    tx_hashes: transactions.map((tx) => tx.id),
    size_bytes: size,
    ...proposer,
    l1_validators_accrued_fees: null,
    active_l1_validators: null,
    current_supply: null,
  });
}

/** Applies a vertex, accepted at that time; transactions that another vertex brought before count once. */
export function applyVertex(
  replay: XReplay,
  vertex: Vertex,
  { index, timestamp, isKnown }: { index: number; timestamp: number; isKnown: (txId: string) => boolean },
): void {
  const { id, parentIds, height, transactions, size } = vertex;
  const place: Place = { chain: "X", blockNumber: null, blockHash: null, vertexIndex: index, timestamp };
  for (const tx of transactions) if (!isKnown(tx.id)) applyTransaction(replay, tx, place);
  replay.batch.add("x_chain_vertices", {
    vertex_index: index,
    vertex_hash: id,
    parent_hashes: parentIds,
    vertex_height: height,
    vertex_timestamp: timestamp,
    tx_hashes: transactions.map((tx) => tx.id),
    size_bytes: size,
  });
}

function applyTransaction(replay: XReplay, tx: XTransaction, place: Place): void {
  const { batch, network } = replay;
  const moves = move({ batch, network, place }, tx, null);
  const row = transactionRow(place, replay.txSeq++, tx, moves, {}, network.avaxAssetId);
  batch.add("primary_transactions", row);
  listUnder(batch, moves.addresses, row);
  if (tx.txType === "CreateAssetTx") addAsset(batch, tx, place.timestamp);
}

/** The assets that exist from the start, and whose they are. */
export function applyXGenesis({ batch, network }: XReplay): void {
  const { x, timestamp } = network.genesis;
  for (const asset of x) {
    addAsset(batch, asset, timestamp);
    for (const { outputIndex, assetId, output } of emittedOutputs(asset))
      batch.create(
        utxoRow({ chain: "X", blockNumber: 0, timestamp }, { txId: asset.id, outputIndex, assetId, output }, "GENESIS"),
      );
  }
}

const NFT = 1;

function addAsset(batch: Batch, tx: XTransactionOf<"CreateAssetTx"> | GenesisAsset, timestamp: number): void {
  const { initialStates } = tx;
  if (initialStates.length === 0) throw new BadUpstreamData(`asset ${tx.id} has no first state`);
  const canMint = initialStates.some(({ outputs }) => outputs.some(({ type }) => type.endsWith("MintOutput")));
  batch.add("primary_assets", {
    asset_id: tx.id,
    name: tx.name,
    symbol: tx.symbol,
    denomination: tx.denomination,
    asset_type: initialStates.some(({ fxIndex }) => fxIndex === NFT) ? "nft" : "secp256k1",
    cap: canMint ? "variable" : "fixed",
    create_timestamp: timestamp,
  });
}
