import { BadUpstreamData } from "../../../errors/errors.ts";
import {
  constant,
  decode,
  id,
  integer,
  list,
  oneOf,
  shortId,
  struct,
  u32,
  u64,
  type ValueOf,
  versions,
} from "../bytes/layout.ts";
import { withEncoding } from "./encoding.ts";
import { secpCredential, transferableInput, transferableOutput } from "./feature-extensions.ts";

const credentials = list(secpCredential);
const base = { networkId: u32, blockchainId: id };
const account = { address: shortId, amount: u64, assetId: id };

/** Fields are named as on the other chains. Amounts taken from or added to an account are `evmInputs` and `evmOutputs`. */
const TRANSACTIONS = {
  0: struct({
    txType: constant("ImportTx"),
    ...base,
    sourceChain: id,
    importedInputs: list(transferableInput),
    evmOutputs: list(struct(account)),
    credentials,
  }),
  1: struct({
    txType: constant("ExportTx"),
    ...base,
    destinationChain: id,
    evmInputs: list(struct({ ...account, nonce: integer })),
    exportedOutputs: list(transferableOutput),
    credentials,
  }),
};

const transaction = withEncoding(oneOf(TRANSACTIONS));
const single = versions({ 0: transaction });
const severalTransactions = versions({ 0: list(transaction) });

/** A C-Chain transaction that moves assets from or to another chain. Ids and addresses in hex. */
export type AtomicTransaction = ValueOf<typeof transaction>;

/**
 * Decodes the atomic transactions in a block's extra data: a list since Apricot Phase 5, a single transaction before.
 * No bytes are valid as both. Throws `BadUpstreamData`.
 */
export function decodeAtomicTransactions(extraData: Uint8Array): readonly AtomicTransaction[] {
  if (extraData.byteLength === 0) return [];
  const what = "C-Chain atomic transactions";
  try {
    const transactions = decode(severalTransactions, extraData, what);
    if (transactions.length > 0) return transactions;
    throw new BadUpstreamData(`${what} at byte 2: an empty list in extra data that is not empty`);
  } catch (asList) {
    if (!(asList instanceof BadUpstreamData)) throw asList;
    try {
      return [decode(single, extraData, what)];
    } catch (asOne) {
      if (!(asOne instanceof BadUpstreamData)) throw asOne;
      throw new BadUpstreamData(`${asList.message}; as a single transaction: ${asOne.message}`);
    }
  }
}
