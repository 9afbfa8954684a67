/**
 * What the signatures subgraph and the signature service send each other: JSON over HTTP. Ids, hashes, keys and bytes are hex
 * digits without `0x`; amounts and heights are decimal text.
 */

/** Answers a GET with 200 if the service can keep its certificates, and otherwise with 503. */
export const HEALTH_PATH = "/health";
/** Answers a list of `MessageSource` with a list of `DescribedMessage`, in the same order. */
export const MESSAGES_PATH = "/messages";
/** Answers an `AggregationInput` with one `AggregationEvent` a line. Closing the connection gives up the request. */
export const AGGREGATION_PATH = "/aggregate";

/** Where a message comes from. */
export type MessageSource =
  /** E1. The service checks both texts. At least one of message and justification is given. */
  | {
      readonly kind: "message";
      readonly network: string;
      /** Hex of the unsigned message, or of the data of a `SendWarpMessage` log; with or without `0x`. */
      readonly message: string | null;
      /** Hex with or without `0x`. */
      readonly justification: string | null;
    }
  /** E2. `txHash` is the CB58 text of a transaction of the P- or X-Chain. */
  | { readonly kind: "transaction"; readonly network: string; readonly txHash: string }
  /** A log of the warp precompile, or of a Teleporter messenger that sent a message, on an EVM chain. */
  | { readonly kind: "log"; readonly chainId: string; readonly blockNumber: string; readonly logIndex: number };

/** A message that validators can be asked to sign. */
export interface SignableMessage {
  readonly network: string;
  /** SHA-256 of the unsigned message. */
  readonly messageId: string;
  readonly unsignedMessage: string;
  readonly sourceChainId: string;
  /** Empty if validators need none. */
  readonly justification: string;
  /** The subnet whose validators sign by default. */
  readonly signingSubnetId: string;
}

/** A failure of the service: `code` is a `FailureCode`. */
export interface ServiceFailure {
  readonly code: string;
  readonly message: string;
}

/** `message` is null if the log or transaction is known, but has no message to sign. */
export type DescribedMessage = { readonly message: SignableMessage | null } | { readonly failure: ServiceFailure };

export interface AggregationInput {
  readonly source: MessageSource;
  /**
   * Hex with or without `0x`, or CB58. Null: the subnet of the message's source chain; for E2, and for a justification without a
   * message, that of the manager's chain.
   */
  readonly signingSubnetId: string | null;
  /** 1 to 100. */
  readonly quorumPercentage: number;
  /** 0 to 100 - `quorumPercentage`. */
  readonly quorumPercentageBuffer: number;
  /** "0": the proposed height. */
  readonly pChainHeight: string;
}

export type AggregationEvent =
  | ({ readonly type: "progress" } & AggregationProgress)
  | ({ readonly type: "result" } & AggregationResult)
  | ({ readonly type: "failure" } & ServiceFailure);

/** How far a collection is. Weights are sums over BLS keys: the weight of a shared key counts once. */
export interface AggregationProgress {
  readonly state: "CONNECTING" | "COLLECTING" | "DONE" | "FAILED";
  readonly message: SignableMessage;
  readonly signingSubnetId: string;
  readonly pChainHeight: string;
  /** Weight of all validators of the subnet, also of those without a BLS key and of inactive ones. */
  readonly totalWeight: string;
  /** Least weight that meets the quorum. */
  readonly requiredWeight: string;
  readonly connectedWeight: string;
  readonly signedWeight: string;
  readonly refusedWeight: string;
}

/** A verified aggregate. */
export interface AggregationResult extends AggregationProgress {
  readonly state: "DONE";
  readonly signedMessage: string;
  /** Weight of the signers. At most `signedWeight`, because an aggregate has no more signers than needed. */
  readonly aggregateWeight: string;
  /** In the order of the bits. */
  readonly signers: readonly SigningValidator[];
  /** Validators whose signatures are not in the aggregate. */
  readonly others: readonly OtherValidator[];
  /** "validators": collected from the validators. "aggregator": from an upstream signature-aggregator. */
  readonly collectedFrom: "validators" | "aggregator";
  /** Milliseconds from the request to the connections, and from there to the verified aggregate. */
  readonly connectMs: number;
  readonly collectMs: number;
}

/** Validators of one subnet that share a BLS key. */
export interface SigningValidator {
  readonly publicKey: string;
  readonly weight: string;
  /** `NodeID-…`, at least one. */
  readonly nodeIds: readonly string[];
}

export type MissingReason =
  /** The validator has no BLS key, so it can never sign. */
  | "NO_KEY"
  /** An L1 validator whose balance is used up. */
  | "INACTIVE"
  | "NOT_CONNECTED"
  | "TIMEOUT"
  /** The node has not seen the message. */
  | "NOT_SEEN"
  | "REFUSED"
  /** The answer of the node is not its signature of the message. */
  | "INVALID_SIGNATURE"
  /** Enough others signed. */
  | "NOT_NEEDED";

export interface OtherValidator {
  /** Null for `NO_KEY` and `INACTIVE`. */
  readonly publicKey: string | null;
  readonly weight: string;
  /** Empty for `INACTIVE`. */
  readonly nodeIds: readonly string[];
  readonly reason: MissingReason;
  /** Why in words; null if the reason says all. */
  readonly detail: string | null;
  /** Code of the node's error, for `REFUSED`; otherwise null. */
  readonly errorCode: number | null;
}
