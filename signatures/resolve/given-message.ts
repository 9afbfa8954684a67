import { parseJustification } from "../codec/justification.ts";
import { messageBytesOf } from "../codec/log-data.ts";
import { requestOfJustification } from "../derive/signing-request.ts";
import type { MessageSource } from "../protocol/protocol.ts";
import { type Finding, type Lookups, parsingParameter, requestOfMessage, requireNetwork } from "./finding.ts";
import { invalid, parseHexParameter } from "./parameters.ts";

type Source = Extract<MessageSource, { readonly kind: "message" }>;

/** Finds what to sign for a message or justification that a caller gave (E1). */
export async function findGivenMessage({ network: name, ...texts }: Source, lookups: Lookups): Promise<Finding> {
  const network = requireNetwork(lookups, name);
  if (texts.message === null && texts.justification === null)
    throw invalid("message or justification must be given: both are missing");
  const message = texts.message === null ? null : parseHexParameter("message", texts.message);
  const justification =
    texts.justification === null ? new Uint8Array() : parseHexParameter("justification", texts.justification);
  if (message?.length === 0) throw invalid("message must not be empty");
  if (!message && justification.length === 0) throw invalid("justification must not be empty without a message");

  await lookups.heads.ofPrimaryChain(network, "P");
  const { networkId } = network;
  const index = lookups.primaryIndex(networkId);
  if (!message)
    return parsingParameter("justification", async () => {
      const parsed = parseJustification(justification);
      return { network, request: await requestOfJustification({ networkId, justification: parsed }, index) };
    });
  return parsingParameter("message", async () => {
    const request = await requestOfMessage(messageBytesOf(message), network, index);
    return { network, request: { ...request, justification } };
  });
}
