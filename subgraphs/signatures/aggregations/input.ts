import { Failure } from "../../../core/errors.ts";
import type { AggregationInput, MessageSource } from "../../../core/signature-service/protocol.ts";
import type {
  AggregateSignaturesArgs,
  AggregateTransactionSignaturesArgs,
  QuorumArgs,
  SignatureProgressArgs,
} from "./arguments.ts";

const DEFAULT_QUORUM = 67;

/** What the signature service is asked for. Throws `INVALID_PARAMETER` for percentages out of their ranges. */
export function inputOf(source: MessageSource, args: QuorumArgs): AggregationInput {
  const quorum = percentage("quorumPercentage", args.quorumPercentage) || DEFAULT_QUORUM;
  const buffer = percentage("quorumPercentageBuffer", args.quorumPercentageBuffer);
  if (quorum + buffer > 100) throw tooLarge(quorum, buffer);
  return {
    source,
    signingSubnetId: args.signingSubnetId || null,
    quorumPercentage: quorum,
    quorumPercentageBuffer: buffer,
    pChainHeight: args.pChainHeight ?? "0",
  };
}

function percentage(name: string, value: number | null | undefined): number {
  const given = value ?? 0;
  if (given >= 0 && given <= 100) return given;
  throw new Failure("INVALID_PARAMETER", `${name} must be an integer from 0 to 100, got ${given}`);
}

function tooLarge(quorum: number, buffer: number): Failure {
  // A caller who gave only the buffer must see where the other number comes from.
  const remark = quorum === DEFAULT_QUORUM ? " (the default)" : "";
  return new Failure(
    "INVALID_PARAMETER",
    `quorumPercentage and quorumPercentageBuffer must be at most 100 together, got ${quorum}${remark} and ${buffer}`,
  );
}

/** The source of a message that the caller sends. */
export function messageSource({ network, message, justification }: AggregateSignaturesArgs): MessageSource {
  if (!message && !justification)
    throw new Failure("INVALID_PARAMETER", "message or justification must be given, got neither");
  return { kind: "message", network, message: message || null, justification: justification || null };
}

/** The source of the message that follows from a transaction. */
export function transactionSource({ network, txHash }: AggregateTransactionSignaturesArgs): MessageSource {
  return { kind: "transaction", network, txHash };
}

/** The source of either form. */
export function eitherSource({ txHash, ...args }: SignatureProgressArgs): MessageSource {
  if (!txHash) return messageSource(args);
  const other = args.message ? "message" : args.justification ? "justification" : null;
  if (other) throw new Failure("INVALID_PARAMETER", `txHash and ${other} must not be given together`);
  return transactionSource({ network: args.network, txHash });
}
