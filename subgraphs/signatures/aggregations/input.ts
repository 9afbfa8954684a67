import { Failure } from "../../../core/errors/errors.ts";
import type { AggregationInput, MessageSource } from "../../../signatures/protocol/protocol.ts";
import type {
  AggregateSignaturesArgs,
  AggregateTransactionSignaturesArgs,
  QuorumArgs,
  SignatureProgressArgs,
} from "./arguments.ts";

const DEFAULT_QUORUM = 67;

/** Builds the request to the signature service. Throws `INVALID_PARAMETER` if quorum and buffer exceed 100 together. */
export function inputOf(source: MessageSource, args: QuorumArgs): AggregationInput {
  const quorum = args.quorumPercentage || DEFAULT_QUORUM;
  const buffer = args.quorumPercentageBuffer ?? 0;
  if (quorum + buffer > 100) throw tooLarge(quorum, buffer);
  return {
    source,
    signingSubnetId: given(args.signingSubnetId),
    quorumPercentage: quorum,
    quorumPercentageBuffer: buffer,
    pChainHeight: args.pChainHeight ?? "0",
  };
}

/** Returns the text; null if it is absent, empty or only `0x`. */
function given(text: string | null | undefined): string | null {
  return text && text !== "0x" ? text : null;
}

function tooLarge(quorum: number, buffer: number): Failure {
  // A caller who gave only the buffer must see where the other number comes from.
  const remark = quorum === DEFAULT_QUORUM ? " (the default)" : "";
  return new Failure(
    "INVALID_PARAMETER",
    `quorumPercentage and quorumPercentageBuffer must be at most 100 together, got ${quorum}${remark} and ${buffer}`,
  );
}

/** The source of a message that the caller sends. Throws `INVALID_PARAMETER` without `message` and `justification`. */
export function messageSource({ network, ...texts }: AggregateSignaturesArgs): MessageSource {
  const message = given(texts.message);
  const justification = given(texts.justification);
  if (message === null && justification === null)
    throw new Failure("INVALID_PARAMETER", "message or justification must be given, got neither");
  return { kind: "message", network, message, justification };
}

/** The source of the message that follows from a transaction. */
export function transactionSource({ network, txHash }: AggregateTransactionSignaturesArgs): MessageSource {
  return { kind: "transaction", network, txHash };
}

/** The source of a message in either form. Throws `INVALID_PARAMETER` if the arguments have both forms or neither. */
export function eitherSource({ txHash, ...args }: SignatureProgressArgs): MessageSource {
  if (!txHash) return messageSource(args);
  const other = given(args.message) ? "message" : given(args.justification) ? "justification" : null;
  if (other) throw new Failure("INVALID_PARAMETER", `txHash and ${other} must not be given together`);
  return transactionSource({ network: args.network, txHash });
}
