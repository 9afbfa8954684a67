import type { Vertex } from "../../../core/formats/codec/blocks/vertices.ts";
import type { XBlock } from "../../../core/formats/codec/blocks/x-blocks.ts";
import type { XTransaction, XTransactionOf } from "../../../core/formats/codec/transactions/x-transactions.ts";
import { emittedOutputs } from "../decode/outputs.ts";
import type { NetworkFacts } from "../network/network.ts";
import type { GenesisAsset } from "../network/x-genesis.ts";
import type { Batch, ChainPosition } from "./store/batch.ts";
import type { ProposerColumns } from "./store/proposer-columns.ts";
import type { IndexedTransactions } from "./store/repeated-transactions.ts";
import { storableText } from "./store/rows.ts";
import { addRepetition } from "./transactions/repetition.ts";
import { transactionRow } from "./transactions/transaction-row.ts";
import { applyUtxoChanges } from "./transactions/utxo-changes.ts";
import { utxoRow } from "./transactions/utxo-row.ts";

/** State and batch to which the X-Chain's rows are added. */
export interface XReplay {
  readonly batch: Batch;
  readonly network: NetworkFacts;
  /** Transactions that have rows. */
  readonly indexed: IndexedTransactions;
  /** `tx_seq` of the chain's next transaction. */
  txSeq: number;
}

/** Adds the rows of the next block to the batch. */
export function applyXBlock(replay: XReplay, block: XBlock, proposer: ProposerColumns): void {
  const { id, height, parentId, blockType, time, transactions, size } = block;
  const position: ChainPosition = {
    chain: "X",
    blockNumber: height,
    blockHash: id,
    vertexIndex: null,
    timestamp: time,
  };
  for (const tx of transactions)
    if (replay.indexed.has(tx.id)) addRepetition(replay, tx.id, position);
    else applyTransaction(replay, tx, position);
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

/** Adds the rows of the next vertex to the batch. Its transactions that an earlier vertex had as well are skipped. */
export function applyVertex(
  replay: XReplay,
  vertex: Vertex,
  { index, timestamp }: { readonly index: number; readonly timestamp: number },
): void {
  const { id, parentIds, height, transactions, size } = vertex;
  const position: ChainPosition = { chain: "X", blockNumber: null, blockHash: null, vertexIndex: index, timestamp };
  for (const tx of transactions) if (!replay.indexed.has(tx.id)) applyTransaction(replay, tx, position);
  replay.batch.add("x_chain_vertices", {
    vertex_index: index,
    vertex_hash: id,
    parent_hashes: parentIds,
    vertex_height: height,
    vertex_timestamp: timestamp,
    earliest_timestamp: null,
    tx_hashes: transactions.map((tx) => tx.id),
    size_bytes: size,
  });
}

function applyTransaction(replay: XReplay, tx: XTransaction, position: ChainPosition): void {
  const { batch, network } = replay;
  const txSeq = replay.txSeq++;
  const changes = applyUtxoChanges({ batch, network, position, txSeq }, tx, null);
  const row = transactionRow(position, txSeq, tx, changes, {}, network.avaxAssetId);
  batch.add("primary_transactions", row);
  replay.indexed.set(tx.id, position);
  batch.list(changes.addresses, row);
  if (tx.txType === "CreateAssetTx") addAsset(batch, tx, position.timestamp);
}

/** Adds the genesis assets and their outputs to the batch. */
export function applyXGenesis({ batch, network }: Pick<XReplay, "batch" | "network">): void {
  const { x, timestamp } = network.genesis;
  for (const asset of x) {
    addAsset(batch, asset, timestamp);
    for (const { outputIndex, assetId, output } of emittedOutputs(asset))
      batch.create(
        utxoRow({ chain: "X", blockNumber: 0, timestamp }, { txId: asset.id, outputIndex, assetId, output }, "GENESIS"),
      );
  }
}

/** Index of nftfx among the feature extensions of the X-Chain. */
const NFT_FX = 1;

function addAsset(batch: Batch, tx: XTransactionOf<"CreateAssetTx"> | GenesisAsset, timestamp: number): void {
  const { initialStates } = tx;
  const canMint = initialStates.some(({ outputs }) => outputs.some(({ type }) => type.endsWith("MintOutput")));
  batch.add("primary_assets", {
    asset_id: tx.id,
    name: storableText(tx.name),
    symbol: storableText(tx.symbol),
    denomination: tx.denomination,
    asset_type: initialStates.some(({ fxIndex }) => fxIndex === NFT_FX) ? "nft" : "secp256k1",
    cap: canMint ? "variable" : "fixed",
    create_timestamp: timestamp,
  });
}
