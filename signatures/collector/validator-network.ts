import type { SignatureTransport } from "../p2p/transport.ts";

/** The connections to the validators of one network. */
export interface ValidatorNetwork {
  readonly transport: SignatureTransport;
  /** Looks up the addresses of those nodes that are not connected. Does not reject. */
  findAddresses(nodeIds: readonly string[]): Promise<void>;
}
