import { utxoId } from "../bytes/hashes.ts";
import { decode, id, type Read, struct, u32, versions } from "../bytes/layout.ts";
import type { AtomicTransaction } from "./atomic-transactions.ts";
import { anyOutput } from "./feature-extensions.ts";
import type { PTransaction } from "./p-transactions.ts";
import type { XTransaction, XTransactionOf } from "./x-transactions.ts";

/** An output of any chain. */
export type Output = Read<typeof anyOutput>;

/** An output that a transaction makes by itself; rewards and refunds are the chain's doing. */
export interface EmittedOutput {
  readonly outputIndex: number;
  readonly assetId: string;
  readonly output: Output;
  /** `stake` is spendable only when the stake ends, `exported` only on the other chain. */
  readonly role: "plain" | "stake" | "exported";
}

type Emitting = PTransaction | XTransaction | AtomicTransaction;
type Operation = XTransactionOf<"OperationTx">["operations"][number]["operation"];
type Unnumbered = Omit<EmittedOutput, "outputIndex">;

/** What a transaction makes, in the order of the output indexes. */
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
    ...("operations" in tx ? tx.operations.flatMap(({ assetId, operation }) => plain(assetId, made(operation))) : []),
  ].map((output, outputIndex) => ({ ...output, outputIndex }));
}

type Transferred = Pick<EmittedOutput, "assetId" | "output">;

function withRole(outputs: readonly Transferred[], role: EmittedOutput["role"]): Unnumbered[] {
  return outputs.map(({ assetId, output }) => ({ assetId, output, role }));
}

function plain(assetId: string, outputs: readonly Output[]): Unnumbered[] {
  return outputs.map((output) => ({ assetId, output, role: "plain" }));
}

type Makers = { readonly [Type in Operation["type"]]: (operation: Extract<Operation, { type: Type }>) => Output[] };

const MADE_BY: Makers = {
  "secp256k1fx.MintOperation": ({ mintOutput, transferOutput }) => [mintOutput, transferOutput],
  "nftfx.MintOperation": ({ groupId, payload, outputs }) =>
    outputs.map((owners) => ({ type: "nftfx.TransferOutput", groupId, payload, ...owners })),
  "nftfx.TransferOperation": ({ output }) => [output],
  "propertyfx.MintOperation": ({ mintOutput, ownedOutput }) => [mintOutput, ownedOutput],
  "propertyfx.BurnOperation": () => [],
};

function made<Type extends Operation["type"]>(operation: Extract<Operation, { type: Type }>): Output[] {
  return MADE_BY[operation.type as Type](operation);
}

const utxo = struct({ txId: id, outputIndex: u32, assetId: id, output: anyOutput });
const layout = versions({ 0: utxo });

/** An unspent output with its id. */
export type Utxo = Read<typeof utxo> & { readonly utxoId: string };

/** Reads an unspent output as `getUTXOs` and `getRewardUTXOs` of any chain give it. */
export function decodeUtxo(bytes: Uint8Array): Utxo {
  const read = decode(layout, bytes, "UTXO");
  return { ...read, utxoId: utxoId(read.txId, read.outputIndex) };
}
