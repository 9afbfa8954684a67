import { mapYielding } from "../../../core/async/yield-to-event-loop.ts";
import { decodePBlock, type PBlock } from "../../../core/formats/codec/blocks/p-blocks.ts";
import { decodeContainer, type ProposerBlock } from "../../../core/formats/codec/blocks/proposer-blocks.ts";
import { decodeVertex, type Vertex } from "../../../core/formats/codec/blocks/vertices.ts";
import { decodeXBlock, type XBlock } from "../../../core/formats/codec/blocks/x-blocks.ts";
import type { RawBlockChain } from "../network/chains.ts";
import type { RawBlockEntry } from "../raw-blocks/entries.ts";

export interface DecodedPBlock {
  readonly entry: RawBlockEntry;
  /** The ProposerVM wrapper; null if the entry is a block without one. */
  readonly proposer: ProposerBlock | null;
  readonly block: PBlock;
}

export interface DecodedXBlock {
  readonly entry: RawBlockEntry;
  readonly proposer: ProposerBlock | null;
  readonly block: XBlock;
}

export interface DecodedVertex {
  readonly entry: RawBlockEntry;
  readonly vertex: Vertex;
}

export type DecodedBlock = DecodedPBlock | DecodedXBlock;
/** A decoded entry of the raw blocks. */
export type DecodedEntry = DecodedBlock | DecodedVertex;

/** Decodes a stored block. Throws `BadUpstreamData` if the bytes are not a block of that chain. */
export function decodeBlock(chain: "P", entry: RawBlockEntry): DecodedPBlock;
export function decodeBlock(chain: RawBlockChain, entry: RawBlockEntry): DecodedBlock;
export function decodeBlock(chain: RawBlockChain, entry: RawBlockEntry): DecodedBlock {
  const { proposer, block } = decodeContainer(entry.payload);
  return chain === "P"
    ? { entry, proposer, block: decodePBlock(block) }
    : { entry, proposer, block: decodeXBlock(block) };
}

/** Decodes a stored vertex. Throws `BadUpstreamData` if the bytes are no vertex. */
export function decodeVertexEntry(entry: RawBlockEntry): DecodedVertex {
  return { entry, vertex: decodeVertex(entry.payload) };
}

/** Decodes entries of the raw blocks in order, with pauses for other work of the process. Rejects with `BadUpstreamData`. */
export function decodeEntries(chain: RawBlockChain, entries: readonly RawBlockEntry[]): Promise<DecodedEntry[]> {
  return mapYielding(
    entries,
    (entry): DecodedEntry => (entry.isVertex ? decodeVertexEntry(entry) : decodeBlock(chain, entry)),
  );
}
