import { formatId } from "../../../core/id-text.ts";
import {
  beside,
  describeRecordings,
  describeWhere,
  flareOf,
  mainnetOf,
  pairsOf,
  resultsIn,
  utxoTextsOf,
} from "../../../test/support/primary-vectors.ts";
import { decodeAtomicTransaction } from "./atomic-transactions.ts";
import { parseCheckedHex } from "./checked-hex.ts";
import { sha256 } from "./hashes.ts";
import { decodeUtxo } from "./outputs.ts";
import { decodePBlock } from "./p-blocks.ts";
import { decodePTransaction, type PTransaction, type PTransactionOf } from "./p-transactions.ts";
import { decodeContainer } from "./proposer-blocks.ts";
import { decodeWarpL1Message } from "./warp.ts";
import { decodeXTransaction } from "./x-transactions.ts";

type Chain = "PVM" | "AVM" | "EVM";
type Made = { readonly _type: string; toBytes(codec?: unknown): Uint8Array };
type Class = new (...parts: never[]) => Made;
type Readable = Class & { fromBytes(bytes: Uint8Array, codec?: unknown): [Made & { ID(): string }, Uint8Array] };

/** What is used of the library; its own types need another module resolution. */
interface Library {
  readonly avaxSerial: { readonly SignedTx: Readable };
  readonly pvmSerial: {
    readonly warp: {
      readonly WarpMessage: Readable;
      readonly AddressedCallPayloads: Readonly<Record<string, Readable>>;
      getWarpManager(): Manager;
    };
  } & Readonly<Record<string, Class>>;
  readonly utils: { getManagerForVM(chain: Chain): Manager };
  readonly Utxo: Readable;
}
interface Manager {
  unpack(bytes: Uint8Array, as: Readable): Made;
  getDefaultCodec(): unknown;
}
