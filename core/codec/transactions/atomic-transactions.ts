import { BadUpstreamData } from "../../errors.ts";
import {
  constant,
  decode,
  id,
  integer,
  list,
  oneOf,
  type Read,
  shortId,
  struct,
  u32,
  u64,
  versions,
} from "../bytes/layout.ts";
import { secpCredential, transferableInput, transferableOutput } from "./feature-extensions.ts";
import { signed } from "./signed.ts";

const credentials = list(secpCredential);
const base = { networkId: u32, blockchainId: id };
const account = { address: shortId, amount: u64, assetId: id };

/** Names are those of the other chains; what comes from or goes to an account is an `evmInput` or `evmOutput`. */
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

const transaction = signed(oneOf(TRANSACTIONS));
const one = versions({ 0: transaction });
const several = versions({ 0: list(transaction) });

/** A transaction of the C-Chain that moves assets from or to another chain; ids and addresses in hex. */
export type AtomicTransaction = Read<typeof transaction>;

/** Reads a signed transaction as `avax.getAtomicTx` gives it. */
export function decodeAtomicTransaction(bytes: Uint8Array): AtomicTransaction {
  return decode(one, bytes, "C-Chain atomic transaction");
}

/**
 * Reads the atomic transactions in a block's extra data: a list since Apricot Phase 5, a single transaction before it.
 * No bytes are both: as a list, a single transaction would have to name a network or chain whose id is a count.
 */
export function decodeAtomicTransactions(extraData: Uint8Array): readonly AtomicTransaction[] {
  if (extraData.byteLength === 0) return [];
  const what = "C-Chain atomic transactions";
  try {
    const transactions = decode(several, extraData, what);
    if (transactions.length > 0) return transactions;
    throw new BadUpstreamData(`${what} at byte 2: none, where there is data`);
  } catch (asList) {
    if (!(asList instanceof BadUpstreamData)) throw asList;
    try {
      return [decode(one, extraData, what)];
    } catch (asOne) {
      if (!(asOne instanceof BadUpstreamData)) throw asOne;
      throw new BadUpstreamData(`${asList.message}; as a single one: ${asOne.message}`);
    }
  }
}
