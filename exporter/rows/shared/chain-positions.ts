import type { LastBlock } from "../../export-source.ts";

/** The bound of a chain. */
export function boundOf(bounds: readonly LastBlock[], chain: string): LastBlock {
  const bound = bounds.find((one) => one.chain === chain);
  if (!bound) throw new Error(`no last indexed block is recorded for chain ${chain}`);
  return bound;
}

/** Where reading can start again: after a place in a chain, in a file that has its chains one after the other. */
export function chainPosition(chain: string, place: string): string {
  return `${chain}:${place}`;
}

/**
 * The chains that are left to read after a position, in their order, each with the place after which to start. Null as a
 * position: all chains; as a place: from the start of the chain.
 */
export function chainsAfter<Chain>(
  chains: readonly Chain[],
  nameOf: (chain: Chain) => string,
  position: string | null,
): { readonly chain: Chain; readonly after: string | null }[] {
  if (position === null) return chains.map((chain) => ({ chain, after: null }));
  const [name, place = null] = position.split(":");
  const first = chains.findIndex((chain) => nameOf(chain) === name);
  if (first < 0) throw new Error(`position ${position} names a chain that is not read here`);
  return chains.slice(first).map((chain, index) => ({ chain, after: index === 0 ? place : null }));
}
