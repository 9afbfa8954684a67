/** A recorded network: what its validators can sign, and with which keys. */
export interface RecordedNetwork {
  readonly contents: RecordedContents;
  readonly validators: readonly RecordedValidator[];
}

/**
 * What the chains of a recorded network contain that validators sign about. Ids are CB58 text. `arrivesAtMs` is the Unix time in
 * milliseconds from which something is a part of its chain; 0 if it always was.
 */
export interface RecordedContents {
  readonly networkId: number;
  /** Blocks of the P-Chain in the order of their heights, without their ProposerVM wrappers. */
  readonly pBlocks: readonly ArrivingBytes[];
  /** The chains other than the P-Chain. */
  readonly chains: readonly RecordedChain[];
}

export interface RecordedChain {
  readonly alias: string;
  readonly blockchainId: string;
  readonly subnetId: string;
  readonly isEvm: boolean;
  /** Unsigned warp messages. */
  readonly messages: readonly ArrivingBytes[];
  /** Hashes of the blocks as hex digits. */
  readonly blocks: readonly { readonly hash: string; readonly arrivesAtMs: number }[];
}

export interface ArrivingBytes {
  readonly bytes: Uint8Array;
  readonly arrivesAtMs: number;
}

/** The keys of a recorded validator. */
export interface RecordedValidator {
  readonly name: string;
  /** `NodeID-…` */
  readonly nodeId: string;
  /** 32 bytes as hex digits. */
  readonly blsSecret: string;
  /** PEM texts, of nodes that ran; the others have only a random node id. */
  readonly tls?: { readonly key: string; readonly certificate: string } | undefined;
}
