import { Failure } from "../../core/errors/errors.ts";
import { formatId } from "../../core/formats/id-text.ts";
import { TYPES_WITH_MESSAGE } from "../derive/p-chain-message.ts";
import { reasonAgainst, requestOfTransaction } from "../derive/signing-request.ts";
import type { MessageSource } from "../protocol/protocol.ts";
import { type Finding, type Lookups, requireNetwork } from "./finding.ts";
import { parseIdParameter } from "./parameters.ts";

type Source = Extract<MessageSource, { readonly kind: "transaction" }>;

/** Finds what to sign for a transaction of the P-Chain (E2). */
export async function findTransactionMessage({ network: name, txHash }: Source, lookups: Lookups): Promise<Finding> {
  const network = requireNetwork(lookups, name);
  const id = parseIdParameter("txHash", txHash);
  await lookups.heads.ofPrimaryChain(network, "P");
  const index = lookups.primaryIndex(network.networkId);
  const found = await index.transaction(id);
  if (!found) {
    await lookups.heads.ofPrimaryChain(network, "X");
    throw new Failure(
      "NOT_FOUND",
      `txHash ${formatId(id)} is not indexed as a transaction of network ${network.network}`,
    );
  }
  const { chain, txType } = found;
  if (chain !== "P") {
    const reason = "only transactions of the P-Chain have messages";
    return {
      request: null,
      reason: `transaction ${formatId(id)} has the type ${txType} of the ${chain}-Chain: ${reason}`,
    };
  }
  if (!TYPES_WITH_MESSAGE.has(txType)) return { request: null, reason: reasonAgainst({ id, txType }) };
  return { network, request: await requestOfTransaction(await index.pTransaction(id), index) };
}
