import { decodePBlock, type PBlock } from "../../../core/formats/codec/blocks/p-blocks.ts";
import { decodeContainer } from "../../../core/formats/codec/blocks/proposer-blocks.ts";
import type { PTransaction, PTransactionOf } from "../../../core/formats/codec/transactions/p-transactions.ts";
import { P_CHAIN_ID } from "../../../signatures/codec/unsigned-message.ts";
import type { PChainIndex } from "../../../signatures/derive/signing-request.ts";
import { originIn } from "../../../signatures/derive/validation-origin.ts";
import type { PrimaryRecording } from "../recorded/primary-recording.ts";

/** The P-Chain of a recording, read without a database. */
export interface DecodedChain {
  readonly blocks: readonly PBlock[];
  readonly transactions: readonly PTransaction[];
  /** Searches all transactions. Its chains are those of the genesis and of the CreateChainTxs. */
  readonly index: PChainIndex;
}

const isConversion = (one: PTransaction): one is PTransactionOf<"ConvertSubnetToL1Tx"> =>
  one.txType === "ConvertSubnetToL1Tx";

export function decodeChain({ entries, network }: PrimaryRecording): DecodedChain {
  const blocks = entries.P.map(({ payload }) => decodePBlock(decodeContainer(payload).block));
  const transactions = blocks.flatMap((block) => block.transactions);
  const subnets = new Map([P_CHAIN_ID, network.xChainId, network.cChainId].map((id) => [id, P_CHAIN_ID]));
  for (const one of transactions) if (one.txType === "CreateChainTx") subnets.set(one.id, one.subnetId);
  return {
    blocks,
    transactions,
    index: {
      subnetOfChain: async (chainId) => subnets.get(chainId) ?? null,
      transactionOfValidation: async (id) => transactions.find((one) => originIn(one, id) !== null) ?? null,
      conversionOfSubnet: async (id) =>
        transactions.filter(isConversion).find(({ subnetId }) => subnetId === id) ?? null,
    },
  };
}
