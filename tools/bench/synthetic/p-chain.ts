import { createHash } from "node:crypto";
import type { NetworkFacts } from "../../../indexer/primary/network/network.ts";

/** Each transaction spends one output and creates two, as is usual on a busy chain. */
const TRANSACTIONS_PER_BLOCK = 1;
const COIN = 1_000n;
const TYPES = { commitBlock: 2, standardBlock: 32, baseTx: 34, transferInput: 5, transferOutput: 7, credential: 9 };

/** Bytes of block 0 of a network's P-Chain. */
export function syntheticPBlockZero({ genesis }: NetworkFacts): Buffer {
  return Buffer.concat([u16(0), u32(TYPES.commitBlock), Buffer.from(genesis.id, "hex"), u64(0n)]);
}

/**
 * Bytes of P-Chain blocks after block 0, with the rules since Granite. The first block spends the largest output of the genesis.
 * Each other block spends the change of the block before.
 */
export function* syntheticPBlocks(network: NetworkFacts, blockZeroId: string, count: number): Generator<Buffer> {
  const { p } = network.genesis;
  const first = p.utxos.reduce((one, other) => (amountOf(other) > amountOf(one) ? other : one));
  let parentId = blockZeroId;
  let spent = { txId: first.txId, index: first.outputIndex };
  let amount = amountOf(first);
  for (let height = 1; height <= count; height++) {
    const transactions: Buffer[] = [];
    for (let i = 0; i < TRANSACTIONS_PER_BLOCK; i++) {
      const payee = createHash("ripemd160")
        .update(`${height % 5_000} ${i}`)
        .digest();
      const change = amount - 2n * COIN;
      const outputs = [
        output(network.avaxAssetId, change, Buffer.alloc(20, 7)),
        output(network.avaxAssetId, COIN, payee),
      ];
      const tx = baseTx(network, outputs, input(spent, network.avaxAssetId, amount));
      spent = { txId: sha256(u16(0), tx), index: 0 };
      amount = change;
      transactions.push(tx);
    }
    const time = u64(BigInt(network.upgrades.granite + height));
    const block = Buffer.concat([
      u16(0),
      u32(TYPES.standardBlock),
      time,
      Buffer.from(parentId, "hex"),
      u64(BigInt(height)),
      u32(transactions.length),
      ...transactions,
    ]);
    parentId = sha256(block);
    yield block;
  }
}

type Utxo = NetworkFacts["genesis"]["p"]["utxos"][number];

function amountOf({ output }: Utxo): bigint {
  const inner = output.type === "stakeable.LockOut" ? output.output : output;
  return "amount" in inner ? inner.amount : 0n;
}

function baseTx({ networkId }: NetworkFacts, outputs: readonly Buffer[], spent: Buffer): Buffer {
  return Buffer.concat([
    u32(TYPES.baseTx),
    u32(networkId),
    Buffer.alloc(32),
    u32(outputs.length),
    ...outputs,
    u32(1),
    spent,
    u32(0),
    u32(1),
    u32(TYPES.credential),
    u32(1),
    Buffer.alloc(65, 1),
  ]);
}

function output(assetId: string, amount: bigint, owner: Buffer): Buffer {
  const asset = Buffer.from(assetId, "hex");
  return Buffer.concat([asset, u32(TYPES.transferOutput), u64(amount), u64(0n), u32(1), u32(1), owner]);
}

function input({ txId, index }: { txId: string; index: number }, assetId: string, amount: bigint): Buffer {
  return Buffer.concat([
    Buffer.from(txId, "hex"),
    u32(index),
    Buffer.from(assetId, "hex"),
    u32(TYPES.transferInput),
    u64(amount),
    u32(1),
    u32(0),
  ]);
}

const sha256 = (...parts: readonly Buffer[]): string => createHash("sha256").update(Buffer.concat(parts)).digest("hex");

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
