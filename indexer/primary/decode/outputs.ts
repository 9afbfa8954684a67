import { utxoId } from "../../../core/formats/codec/bytes/hashes.ts";
import { decode, id, struct, u32, type ValueOf, versions } from "../../../core/formats/codec/bytes/layout.ts";
import type { AtomicTransaction } from "../../../core/formats/codec/transactions/atomic-transactions.ts";
import { anyOutput } from "../../../core/formats/codec/transactions/feature-extensions.ts";
import type { PTransaction } from "../../../core/formats/codec/transactions/p-transactions.ts";
import type { XTransaction, XTransactionOf } from "../../../core/formats/codec/transactions/x-transactions.ts";

/** An output of any chain. */
export type Output = ValueOf<typeof anyOutput>;

/** An output that is written in a transaction; rewards and refunds are created by the chain. */
export interface EmittedOutput {
  readonly outputIndex: number;
  readonly assetId: string;
  readonly output: Output;
  /** A `stake` output is spendable after the stake ends, an `exported` one on the other chain. */
  readonly role: "plain" | "stake" | "exported";
}

type Emitting = PTransaction | XTransaction | AtomicTransaction;
type Operation = XTransactionOf<"OperationTx">["operations"][number]["operation"];
type Unnumbered = Omit<EmittedOutput, "outputIndex">;

/** The outputs that a transaction creates, by output index. */
export function emittedOutputs(tx: Emitting): readonly EmittedOutput[] {
  return [
    ...("outputs" in tx ? withRole(tx.outputs, "plain") : []),
    ...("stake" in tx ? withRole(tx.stake, "stake") : []),
    ...("exportedOutputs" in tx ? withRole(tx.exportedOutputs, "exported") : []),
    ...("initialStates" in tx
      ? plain(
          tx.id,
          tx.initialStates.flatMap(({ outputs }) => outputs),
        )
      : []),
    ...("operations" in tx
      ? tx.operations.flatMap(({ assetId, operation }) => plain(assetId, createdBy(operation)))
      : []),
  ].map(({ assetId, output, role }, outputIndex) => ({ outputIndex, assetId, output, role }));
}

type Transferred = Pick<EmittedOutput, "assetId" | "output">;

function withRole(outputs: readonly Transferred[], role: EmittedOutput["role"]): Unnumbered[] {
  return outputs.map(({ assetId, output }) => ({ assetId, output, role }));
}

function plain(assetId: string, outputs: readonly Output[]): Unnumbered[] {
  return outputs.map((output) => ({ assetId, output, role: "plain" }));
}

type Creators = { readonly [Type in Operation["type"]]: (operation: Extract<Operation, { type: Type }>) => Output[] };

const CREATED_BY: Creators = {
  "secp256k1fx.MintOperation": ({ mintOutput, transferOutput }) => [mintOutput, transferOutput],
  "nftfx.MintOperation": ({ groupId, payload, outputs }) =>
    outputs.map((owners) => ({ type: "nftfx.TransferOutput", groupId, payload, ...owners })),
  "nftfx.TransferOperation": ({ output }) => [output],
  "propertyfx.MintOperation": ({ mintOutput, ownedOutput }) => [mintOutput, ownedOutput],
  "propertyfx.BurnOperation": () => [],
};

function createdBy<Type extends Operation["type"]>(operation: Extract<Operation, { type: Type }>): Output[] {
  return CREATED_BY[operation.type as Type](operation);
}

const utxo = struct({ txId: id, outputIndex: u32, assetId: id, output: anyOutput });
const layout = versions({ 0: utxo });

/** An unspent output with its id. */
export type Utxo = ValueOf<typeof utxo> & { readonly utxoId: string };

/** Decodes an unspent output as `getUTXOs` and `getRewardUTXOs` return it. Throws `BadUpstreamData`. */
export function decodeUtxo(bytes: Uint8Array): Utxo {
  const read = decode(layout, bytes, "UTXO");
  return { ...read, utxoId: utxoId(read.txId, read.outputIndex) };
}
