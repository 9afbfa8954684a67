import type { EvmChainConfig } from "../../core/config/config-schema.ts";
import { Failure, quoted } from "../../core/errors/errors.ts";
import { parseLogData, SEND_WARP_MESSAGE, WARP_PRECOMPILE } from "../codec/log-data.ts";
import { MalformedMessage } from "../codec/malformed-message.ts";
import { parseAddressedCall } from "../codec/payload.ts";
import { parseUnsignedMessage } from "../codec/unsigned-message.ts";
import type { IndexedLog } from "../index/logs.ts";
import type { MessageSource } from "../protocol/protocol.ts";
import { type Finding, type Lookups, requestOfMessage, requireNetwork } from "./finding.ts";
import { invalid } from "./parameters.ts";

type Source = Extract<MessageSource, { readonly kind: "log" }>;

/** First topic of `SendCrossChainMessage(bytes32,bytes32,TeleporterMessage,TeleporterFeeInfo)`. */
const SEND_CROSS_CHAIN_MESSAGE = "2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8";
/** Words before the Teleporter message in the data of that event: its offset, and the token and amount of the fee. */
const WORDS_BEFORE_MESSAGE = 3;
const WORD_BYTES = 32;
const MAX_BLOCK = 2n ** 63n - 1n;
const MAX_INDEX = 2 ** 31 - 1;

/** Finds what to sign for a log of an EVM chain. */
export async function findLogMessage({ chainId, blockNumber, logIndex }: Source, lookups: Lookups): Promise<Finding> {
  const chain = lookups.chains.require(chainId);
  checkPosition(blockNumber, logIndex);
  const log = await lookups.logs(chain.chainId, blockNumber, logIndex);
  const name = `log ${logIndex} of block ${blockNumber} of chain ${chain.chainId}`;
  if (!log) {
    await lookups.heads.requireEvmChain(chain.chainId);
    throw new Failure("NOT_FOUND", `${name} is not indexed`);
  }
  const unsignedBytes = messageOf(log, chain);
  if (!unsignedBytes) return { request: null, reason: `${name} sends no message that validators sign` };
  const network = requireNetwork(lookups, chain.network);
  await lookups.heads.ofPrimaryChain(network, "P");
  return { network, request: await requestOfMessage(unsignedBytes, network, lookups.primaryIndex(network.networkId)) };
}

function checkPosition(blockNumber: string, logIndex: number): void {
  if (!/^\d{1,19}$/.test(blockNumber) || BigInt(blockNumber) > MAX_BLOCK)
    throw invalid(`blockNumber must be an integer from 0 to ${MAX_BLOCK}, got ${quoted(blockNumber)}`);
  if (!Number.isInteger(logIndex) || logIndex < 0 || logIndex > MAX_INDEX)
    throw invalid(`logIndex must be an integer from 0 to ${MAX_INDEX}, got ${quoted(logIndex)}`);
}

/** The message that a log sent; null if it sent none. */
function messageOf(log: IndexedLog, { teleporterMessengers }: EvmChainConfig): Uint8Array | null {
  const address = log.address.toString("hex");
  const topic = log.topic?.toString("hex");
  if (address === WARP_PRECOMPILE && topic === SEND_WARP_MESSAGE) return wellFormed(log.data)?.unsignedBytes ?? null;
  if (topic === SEND_CROSS_CHAIN_MESSAGE && isOneOf(teleporterMessengers, address)) return teleporterMessage(log);
  return null;
}

function isOneOf(addresses: readonly string[], address: string): boolean {
  return addresses.some((one) => one.toLowerCase() === `0x${address}`);
}

/**
 * The warp message that carries the Teleporter message of an event: the one with the same content. The order of the two logs
 * differs between versions of the contract, and a transaction can send several messages.
 */
function teleporterMessage({ data, sentData }: IndexedLog): Uint8Array | null {
  const content = data.subarray(WORDS_BEFORE_MESSAGE * WORD_BYTES);
  for (const sent of sentData) {
    const message = wellFormed(sent);
    // The payload is the ABI encoding of the Teleporter message alone: its offset, then the same bytes.
    if (message && content.length > 0 && content.equals(message.payload.subarray(WORD_BYTES)))
      return message.unsignedBytes;
  }
  return null;
}

/** The message in log data; null if the data are malformed, which no warp precompile emits. */
function wellFormed(data: Uint8Array): { readonly unsignedBytes: Uint8Array; readonly payload: Uint8Array } | null {
  try {
    const unsignedBytes = parseLogData(data);
    return { unsignedBytes, payload: parseAddressedCall(parseUnsignedMessage(unsignedBytes).payload).payload };
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
}
