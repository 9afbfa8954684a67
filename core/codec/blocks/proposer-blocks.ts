import { BadUpstreamData } from "../../errors.ts";
import { nodeIdOf, sha256 } from "../bytes/hashes.ts";
import {
  blob,
  constant,
  decode,
  id,
  integer,
  type Layout,
  oneOf,
  type Read,
  struct,
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
/** The P-Chain's height by which the block's validators are chosen, and for how long (since Granite). */
const epoch: Layout<Read<typeof epochFields>> = {
  minBytes: epochFields.minBytes,
  read(reader) {
    const start = reader.at;
    const read = epochFields.read(reader);
    return Object.values(read).some((number) => number > 0) ? read : refuse(reader, "an epoch of zeros", start);
  },
};

const layout = versions({
  0: oneOf({
    0: struct({ ...proposed, epoch: constant(null), signature: blob }),
    1: struct({ parentId: id, block: blob }),
    2: struct({ ...proposed, epoch, signature: blob }),
  }),
});

/** Who proposed a block and when. */
export interface Proposal {
  /** In seconds. */
  readonly timestamp: number;
  readonly pChainHeight: number;
  /** Null: any node might have made it, and it is not signed. */
  readonly nodeId: string | null;
  readonly epoch: Read<typeof epoch> | null;
  /** By the node's staking key, over the chain and the ids of parent and block; empty when it is not signed. */
  readonly signature: Uint8Array;
}

/** The wrapping in which the nodes agree on a block. */
export interface ProposerBlock {
  readonly id: string;
  /** Of the wrapping around the parent, or of the plain block where wrapping begins. */
  readonly parentId: string;
  /** Null: an option (commit or abort), which nobody proposes on its own. */
  readonly proposal: Proposal | null;
  /** The block inside. */
  readonly block: Uint8Array;
}

/** A block as the index of a chain gives it: wrapped, or plain from before Apricot Phase 4. */
export interface Container {
  readonly proposer: ProposerBlock | null;
  readonly block: Uint8Array;
}

const WHAT = "proposer's block";
const LENGTH_BYTES = 4;

/** Reads the wrapping around a block. The signature is not verified; the id does not cover it. */
export function decodeProposerBlock(bytes: Uint8Array): ProposerBlock {
  const read = decode(layout, bytes, WHAT);
  const { parentId, block } = read;
  if (!("signature" in read)) return { id: sha256(bytes), parentId, proposal: null, block };
  const { timestamp, pChainHeight, epoch, certificate, signature } = read;
  const isSigned = certificate.byteLength > 0;
  const end = bytes.byteLength - signature.byteLength - LENGTH_BYTES;
  if (signature.byteLength > 0 && !isSigned)
    throw new BadUpstreamData(`${WHAT} at byte ${end}: a signature, but no certificate`);
  return {
    id: sha256(bytes.subarray(0, end)),
    parentId,
    proposal: { timestamp, pChainHeight, nodeId: isSigned ? nodeIdOf(certificate) : null, epoch, signature },
    block,
  };
}

/** Takes a block out of its wrapping. Bytes that no wrapping fills to the last are a block without one. */
export function decodeContainer(bytes: Uint8Array): Container {
  try {
    const proposer = decodeProposerBlock(bytes);
    return { proposer, block: proposer.block };
  } catch (error) {
    if (!(error instanceof BadUpstreamData)) throw error;
    return { proposer: null, block: bytes };
  }
}
