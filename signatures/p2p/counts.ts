/** What the connections have done since the start. The numbers only grow, except those that say "now". */
export interface Counts {
  /** Attempts to connect. */
  dials: number;
  /** Attempts that ended before the handshake was complete. */
  failedDials: number;
  /** Connections that ended after the handshake was complete. */
  lostConnections: number;
  /** Connections now whose handshake is complete. */
  connections: number;
  /** TCP connections now, in any state. */
  sockets: number;
  /** Requests now that have no answer. */
  pendingRequests: number;
  requests: number;
  signatures: number;
  refusals: number;
  timeouts: number;
  /** Answers without a request: unknown, second or late. */
  unmatchedReplies: number;
  /** Messages that could not be read. */
  malformedMessages: number;
  /** Addresses of peer lists that were refused. */
  refusedAddresses: number;
}

export function createCounts(): Counts {
  return {
    dials: 0,
    failedDials: 0,
    lostConnections: 0,
    connections: 0,
    sockets: 0,
    pendingRequests: 0,
    requests: 0,
    signatures: 0,
    refusals: 0,
    timeouts: 0,
    unmatchedReplies: 0,
    malformedMessages: 0,
    refusedAddresses: 0,
  };
}
