import type { NetworkName } from "../../shared/schema/network-name.ts";
import type { UtxoCredential } from "./types.ts";

/** An input of a transaction: a consumed output, or an account of the C-Chain. */
export interface Spent {
  readonly network: NetworkName;
  /** The spending transaction, in `0x` hex. */
  readonly txHash: string;
  /** UTXO ID in `0x` hex; for an account of the C-Chain, its index among the `evmInputs`. */
  readonly input: string;
  /** Owners in the form that `byteList` parses. Empty: not known. */
  readonly owners: string;
}

export interface SpentCredentials extends Spent {
  /** In signer order. Empty: no signature was needed. */
  readonly credentials: readonly UtxoCredential[];
}
