/** Times and limits of the connections. Tests shorten them. The defaults are those of avalanchego 1.14 where it has them. */
export interface Timings {
  /** Time that TCP, TLS and the handshake may take together. */
  readonly connectMs: number;
  /** Pause between two pings to a peer. */
  readonly pingMs: number;
  /** A connection on which no message arrives for this time is closed. */
  readonly silenceMs: number;
  /** Pause before the first attempt to connect again. Each further pause is twice as long. */
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /**
   * Shortest pause before another attempt to connect to a node that is not on this machine. Nodes refuse a second connection
   * from the same address within 10 seconds.
   */
  readonly minRemoteRetryMs: number;
  /** A connection that lasted this long resets the pause to `firstRetryMs`. */
  readonly stableMs: number;
  /** Pause between two requests for addresses, while the address of a node is unknown. */
  readonly discoveryMs: number;
  /** Time for which callers wait while the address of a node is unknown. */
  readonly discoveryPatienceMs: number;
  /** A connection is closed if nobody has asked for its node for this time. */
  readonly keepMs: number;
  /** Largest number of connections that are being opened at the same time. */
  readonly maxDials: number;
}

export const TIMINGS: Timings = {
  connectMs: 10_000,
  pingMs: 22_500,
  silenceMs: 30_000,
  firstRetryMs: 1_000,
  maxRetryMs: 60_000,
  minRemoteRetryMs: 10_000,
  stableMs: 60_000,
  discoveryMs: 2_000,
  discoveryPatienceMs: 10_000,
  keepMs: 3_600_000,
  maxDials: 64,
};
