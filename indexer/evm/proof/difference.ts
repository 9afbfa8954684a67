import type { Difference } from "../../shared/verification.ts";
import type { Gap } from "../compare/gap.ts";

/** A token and an address that holds it; hex without `0x`. */
export interface Holder {
  readonly token: string;
  readonly address: string;
}

/** A token of an ERC-721 contract; the address is hex without `0x`. */
export interface Nft {
  readonly token: string;
  readonly tokenId: string;
}

/** What the next comparison includes again, because it differed. */
export interface Repeated {
  readonly blocks: readonly number[];
  /** Blocks whose hash is another one on the node. */
  readonly hashes: readonly number[];
  /** Addresses, hex without `0x`. */
  readonly tokens: readonly string[];
  readonly holders: readonly Holder[];
  readonly nfts: readonly Nft[];
}

export const NOTHING_REPEATED: Repeated = { blocks: [], hashes: [], tokens: [], holders: [], nfts: [] };

/** The result of some comparisons. */
export interface Compared {
  /** Number of rows and values that were compared. */
  readonly checked: number;
  /** Number of those that differ. */
  readonly differing: number;
  /** One difference of each table and block. */
  readonly differences: readonly Difference[];
  readonly repeated: Repeated;
}

/** Number of rows that are missing, surplus or wrong. */
export function differingRows({ expected, found, wrong }: Pick<Gap, "expected" | "found" | "wrong">): number {
  return Math.max(wrong, expected - (found - wrong));
}

/** The results of several comparisons as one. */
export function combined(all: readonly Compared[]): Compared {
  const sum = (of: (one: Compared) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    checked: sum(({ checked }) => checked),
    differing: sum(({ differing }) => differing),
    differences: all.flatMap(({ differences }) => differences),
    repeated: {
      blocks: all.flatMap(({ repeated }) => repeated.blocks),
      hashes: all.flatMap(({ repeated }) => repeated.hashes),
      tokens: all.flatMap(({ repeated }) => repeated.tokens),
      holders: all.flatMap(({ repeated }) => repeated.holders),
      nfts: all.flatMap(({ repeated }) => repeated.nfts),
    },
  };
}
