import { Failure, quoted } from "../../core/errors/errors.ts";
import { formatId } from "../../core/formats/id-text.ts";
import type { Chains } from "../../core/networks/chains.ts";
import { MalformedMessage } from "../codec/malformed-message.ts";
import { parseUnsignedMessage } from "../codec/unsigned-message.ts";
import type { SigningRequest } from "../derive/signing-request.ts";
import type { Heads, Network } from "../index/heads.ts";
import type { Logs } from "../index/logs.ts";
import type { PrimaryIndex } from "../index/p-chain.ts";
import { invalid } from "./parameters.ts";

/** The readers of the index that one call uses. */
export interface Lookups {
  readonly networks: readonly Network[];
  readonly chains: Chains;
  readonly heads: Heads;
  readonly logs: Logs;
  primaryIndex(networkId: number): PrimaryIndex;
}

/** The message that a source names, or why it has none. */
export type Finding =
  | { readonly network: Network; readonly request: SigningRequest }
  | { readonly request: null; readonly reason: string };

/** The configured network with this name; `testnet` stands for `fuji`. Throws `NOT_FOUND`. */
export function requireNetwork({ networks }: Pick<Lookups, "networks">, name: string): Network {
  const found = networks.find(({ network }) => network === (name === "testnet" ? "fuji" : name));
  if (found) return found;
  const served = networks.map(({ network }) => network).join(", ") || "none";
  throw new Failure("NOT_FOUND", `network ${quoted(name)} is not served; served networks: ${served}`);
}

/**
 * The request to sign a message, by the validators of its source chain. Throws `MalformedMessage`. Fails with
 * `INVALID_PARAMETER` if it belongs to another network, and with `NOT_FOUND` if the source chain is not indexed.
 */
export async function requestOfMessage(
  unsignedBytes: Uint8Array,
  { networkId, network }: Network,
  index: PrimaryIndex,
): Promise<SigningRequest> {
  const message = parseUnsignedMessage(unsignedBytes);
  if (message.networkId !== networkId)
    throw invalid(`message is for network id ${message.networkId}, but network ${network} has the id ${networkId}`);
  const signingSubnetId = await index.subnetOfChain(message.sourceChainId);
  if (signingSubnetId === null)
    throw new Failure(
      "NOT_FOUND",
      `source chain ${formatId(message.sourceChainId)} of the message is not a chain of network ${network}`,
    );
  return { unsignedBytes, justification: new Uint8Array(), signingSubnetId };
}

/** Runs a task that parses a parameter. `MalformedMessage` becomes `INVALID_PARAMETER`, which names the parameter. */
export async function parsingParameter<Result>(name: string, task: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof MalformedMessage) throw invalid(`${name} is not valid: ${error.message}`);
    throw error;
  }
}
