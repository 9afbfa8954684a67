/** A peer broke a rule of the protocol, so its connection is closed. The message is the reason, for the log. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}
