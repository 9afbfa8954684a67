/** Rules of the protocol that a peer can break, and how often each was broken. */
export interface Violations {
  add(rule: Rule): void;
  counts(): Readonly<Partial<Record<Rule, number>>>;
}

/**
 * A rule that a peer can break. The node then closes the connection; after the last six rules, from `malformed-message` on, it
 * only ignores the message.
 */
export type Rule =
  | "tls-certificate"
  | "duplicate-connection"
  | "network-id"
  | "time"
  | "address"
  | "port"
  | "signing-time"
  | "address-signature"
  | "tracked-subnets"
  | "client-version"
  | "known-peers"
  | "address-proof"
  | "second-handshake"
  | "unrequested-pong"
  | "ping-uptime"
  | "frame-length"
  | "silence"
  | "malformed-message"
  | "unknown-message"
  | "message-before-handshake"
  | "unrequested-response"
  | "even-request-id"
  | "request-deadline";

export function createViolations(): Violations {
  const counts: Partial<Record<Rule, number>> = {};
  return {
    add(rule) {
      counts[rule] = (counts[rule] ?? 0) + 1;
    },
    counts: () => ({ ...counts }),
  };
}
