/** What is wrong with a signed message. */
export type RejectionReason = "MALFORMED" | "OTHER_MESSAGE" | "SIGNERS" | "WEIGHT" | "SIGNATURE";

/** A signed message must not be given to callers. The text says why. */
export class RejectedMessage extends Error {
  override readonly name = "RejectedMessage";
  readonly reason: RejectionReason;

  constructor(reason: RejectionReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
