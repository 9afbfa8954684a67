import { decodeEventLog, type Hex, parseAbi } from "viem";
import type { ChainContracts, NodeLog } from "../recorded/node-chain.ts";
import { type FactRow, logIndexOf, type Place } from "./fact-row.ts";

/** Events of `ITeleporterMessenger` and `IWarpMessenger`, as these interfaces declare them. */
const ABI = parseAbi([
  "struct Receipt { uint256 receivedMessageNonce; address relayerRewardAddress; }",
  "struct Message { uint256 messageNonce; address originSenderAddress; bytes32 destinationBlockchainID; address destinationAddress; uint256 requiredGasLimit; address[] allowedRelayerAddresses; Receipt[] receipts; bytes message; }",
  "struct Fee { address feeTokenAddress; uint256 amount; }",
  "event SendCrossChainMessage(bytes32 indexed messageID, bytes32 indexed destinationBlockchainID, Message message, Fee feeInfo)",
  "event ReceiveCrossChainMessage(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID, address indexed deliverer, address rewardRedeemer, Message message)",
  "event MessageExecuted(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID)",
  "event MessageExecutionFailed(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID, Message message)",
  "event ReceiptReceived(bytes32 indexed messageID, bytes32 indexed destinationBlockchainID, address indexed relayerRewardAddress, Fee feeInfo)",
  "event AddFeeAmount(bytes32 indexed messageID, Fee updatedFeeInfo)",
  "event SendWarpMessage(address indexed sender, bytes32 indexed messageID, bytes message)",
]);

const WARP_PRECOMPILE = "0x0200000000000000000000000000000000000005";

const DIRECTIONS: Readonly<Record<string, string>> = {
  SendCrossChainMessage: "SOURCE_TRANSACTION",
  ReceiveCrossChainMessage: "DESTINATION_TRANSACTION",
  MessageExecuted: "DESTINATION_TRANSACTION",
  MessageExecutionFailed: "DESTINATION_TRANSACTION",
};

interface Arguments {
  readonly messageID: Hex;
  readonly destinationBlockchainID?: Hex;
  readonly sourceBlockchainID?: Hex;
  readonly message?: Hex | TeleporterMessage;
  readonly deliverer?: Hex;
  readonly relayerRewardAddress?: Hex;
  readonly feeInfo?: TeleporterFee;
  readonly updatedFeeInfo?: TeleporterFee;
}

interface TeleporterFee {
  readonly feeTokenAddress: Hex;
  readonly amount: bigint;
}

interface TeleporterMessage {
  readonly messageNonce: bigint;
  readonly originSenderAddress: Hex;
  readonly destinationAddress: Hex;
  readonly requiredGasLimit: bigint;
}

/** The interchain event of a log: none or one. */
export function expectedIcmEvents({ messengers }: ChainContracts, place: Place, log: NodeLog): FactRow[] {
  const decoded = decodedEvent(log);
  if (!decoded) return [];
  const { eventName, args } = decoded;
  const emitters = eventName === "SendWarpMessage" ? [WARP_PRECOMPILE] : messengers;
  if (!emitters.includes(log.address)) return [];
  const { block_hash: _, ...short } = place;
  const message = typeof args.message === "object" ? args.message : null;
  const fee = args.feeInfo ?? args.updatedFeeInfo;
  const event = {
    ...short,
    ...logIndexOf(log),
    event: eventName,
    direction: DIRECTIONS[eventName] ?? null,
    message_id: args.messageID,
    blockchain_id: args.destinationBlockchainID ?? args.sourceBlockchainID ?? null,
    messenger_address: log.address,
    message_nonce: message?.messageNonce.toString() ?? null,
    origin_sender_address: message?.originSenderAddress.toLowerCase() ?? null,
    destination_address: message?.destinationAddress.toLowerCase() ?? null,
    required_gas_limit: message?.requiredGasLimit.toString() ?? null,
    fee_token_address: fee?.feeTokenAddress.toLowerCase() ?? null,
    fee_amount: fee?.amount.toString() ?? null,
    relayer_address: (args.deliverer ?? args.relayerRewardAddress)?.toLowerCase() ?? null,
  };
  return [event];
}

function decodedEvent({ topics, data }: NodeLog): { readonly eventName: string; readonly args: Arguments } | null {
  if (topics.length === 0) return null;
  try {
    return decodeEventLog({ abi: ABI, topics: topics as [Hex, ...Hex[]], data });
  } catch {
    return null;
  }
}
