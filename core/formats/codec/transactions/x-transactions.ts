import { constant, hexBytes, id, list, oneOf, struct, text, u8, u32, type ValueOf, versions } from "../bytes/layout.ts";
import { withEncoding } from "./encoding.ts";
import {
  operation,
  spentOutput,
  transferableInput,
  transferableOutput,
  xCredential,
  xOutput,
} from "./feature-extensions.ts";

const credentials = list(xCredential);
const outputs = list(transferableOutput);
const inputs = list(transferableInput);
const base = { networkId: u32, blockchainId: id, outputs, inputs, memo: hexBytes };

/** Initial outputs of an asset for one feature extension (0 secp256k1fx, 1 nftfx, 2 propertyfx). */
const initialState = struct({ fxIndex: u32, outputs: list(xOutput) });

/** A CreateAssetTx without credentials. */
export const createAsset = {
  txType: constant("CreateAssetTx"),
  ...base,
  name: text,
  symbol: text,
  denomination: u8,
  initialStates: list(initialState),
};

/** Types and fields are named as in a node's JSON, with `Id` for `ID`. */
const TRANSACTIONS = {
  0: struct({ txType: constant("BaseTx"), ...base, credentials }),
  1: struct({ ...createAsset, credentials }),
  2: struct({
    txType: constant("OperationTx"),
    ...base,
    operations: list(struct({ assetId: id, inputIds: list(spentOutput), operation })),
    credentials,
  }),
  3: struct({ txType: constant("ImportTx"), ...base, sourceChain: id, importedInputs: inputs, credentials }),
  4: struct({ txType: constant("ExportTx"), ...base, destinationChain: id, exportedOutputs: outputs, credentials }),
};

/** A transaction of the X-Chain, without the codec version. */
export const xTransaction = withEncoding(oneOf(TRANSACTIONS));
/** An X-Chain transaction with the codec version, as in vertices. */
export const versionedXTransaction = versions({ 0: xTransaction });

/** An X-Chain transaction. Ids, addresses, signatures, memo and payloads in hex, amounts as bigint. */
export type XTransaction = ValueOf<typeof xTransaction>;
export type XTxType = XTransaction["txType"];
export type XTransactionOf<Type extends XTxType> = Extract<XTransaction, { readonly txType: Type }>;
