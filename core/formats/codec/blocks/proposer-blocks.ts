import { BadUpstreamData } from "../../../errors/errors.ts";
import { nodeIdOf, sha256 } from "../bytes/hashes.ts";
import {
  blob,
  constant,
  decode,
  id,
  integer,
  type Layout,
  oneOf,
  struct,
  type ValueOf,
  versions,
} from "../bytes/layout.ts";
import { refuse } from "../bytes/reader.ts";

const proposed = {
  parentId: id,
  timestamp: integer,
  pChainHeight: integer,
  certificate: blob,
  block: blob,
};
const epochFields = struct({ pChainHeight: integer, number: integer, startTime: integer });
/** Epoch (since Granite), which determines the P-Chain height at which validators are selected. */
const epoch: Layout<ValueOf<typeof epochFields>> = {
  minBytes: epochFields.minBytes,
  read(reader) {
    const start = reader.at;
    const read = epochFields.read(reader);
    return Object.values(read).some((number) => number > 0)
      ? read
      : refuse(reader, "an epoch whose fields are all 0", start);
  },
};

const layout = versions({
  0: oneOf({
    0: struct({ ...proposed, epoch: constant(null), signature: blob }),
    1: struct({ parentId: id, block: blob }),
    2: struct({ ...proposed, epoch, signature: blob }),
  }),
});

/** Proposer and time of a proposed block. */
export interface Proposal {
  /** In seconds. */
  readonly timestamp: number;
  readonly pChainHeight: number;
  /** In hex. Null if the block is unsigned: any node can propose an unsigned block. */
  readonly nodeId: string | null;
  readonly epoch: ValueOf<typeof epoch> | null;
  /** Signature of the node's staking key; empty if the block is unsigned. */
  readonly signature: Uint8Array;
}

/** The ProposerVM wrapper of a block. */
export interface ProposerBlock {
  readonly id: string;
  /** Id of the parent's wrapper, or of the parent itself if it has none. */
  readonly parentId: string;
  /** Null for commit and abort blocks, which have no proposer. */
  readonly proposal: Proposal | null;
  /** Bytes of the wrapped block. */
  readonly block: Uint8Array;
}

/**
 * A container of a node's index: a block with its ProposerVM wrapper, or a block from before Apricot Phase 4, which has none.
 */
export interface Container {
  readonly proposer: ProposerBlock | null;
  readonly block: Uint8Array;
}

const WHAT = "ProposerVM wrapper";
const LENGTH_BYTES = 4;

/** Decodes a wrapped block. The signature is not verified, and the id does not cover it. Throws `BadUpstreamData`. */
export function decodeProposerBlock(bytes: Uint8Array): ProposerBlock {
  const read = decode(layout, bytes, WHAT);
  const { parentId, block } = read;
  if (!("signature" in read)) return { id: sha256(bytes), parentId, proposal: null, block };
  const { timestamp, pChainHeight, epoch, certificate, signature } = read;
  const isSigned = certificate.byteLength > 0;
  const end = bytes.byteLength - signature.byteLength - LENGTH_BYTES;
  if (signature.byteLength > 0 && !isSigned)
    throw new BadUpstreamData(`${WHAT} at byte ${end}: a signature without a certificate`);
  return {
    id: sha256(bytes.subarray(0, end)),
    parentId,
    proposal: { timestamp, pChainHeight, nodeId: isSigned ? nodeIdOf(certificate) : null, epoch, signature },
    block,
  };
}

/** Decodes a container. Bytes that are not exactly one wrapper are returned as a block without a wrapper. */
export function decodeContainer(bytes: Uint8Array): Container {
  try {
    const proposer = decodeProposerBlock(bytes);
    return { proposer, block: proposer.block };
  } catch (error) {
    if (!(error instanceof BadUpstreamData)) throw error;
    return { proposer: null, block: bytes };
  }
}
