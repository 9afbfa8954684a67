import { ArgsType, createUnionType, Directive, Field, Int, ObjectType } from "type-graphql";
import { checkedSize } from "../../../core/graph/connection-args.ts";
import { EvmAddress } from "../addresses/types.ts";
import { EvmBlock } from "../chains/evm-block.ts";
import { Chain } from "../chains/types.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { NftCollection } from "../nft-collections/types.ts";
import { EvmTransaction, IcmEvent } from "./evm-types.ts";
import {
  Blockchain,
  L1Validator,
  PrimaryNetworkAddress,
  PrimaryNetworkBlock,
  PrimaryNetworkTransaction,
  Subnet,
  ValidatorNode,
  XChainVertex,
} from "./primary-types.ts";

/** Maximum number of results of one search. */
const MAX_RESULTS = 100;
const INITIAL_RESULTS = 20;

const MEMBERS = {
  Chain,
  Blockchain,
  Subnet,
  L1Validator,
  ValidatorNode,
  EvmBlock,
  PrimaryNetworkBlock,
  XChainVertex,
  EvmTransaction,
  PrimaryNetworkTransaction,
  IcmEvent,
  EvmAddress,
  PrimaryNetworkAddress,
  Erc20Token,
  NftCollection,
};

/** Name of a type that the search returns. */
export type ResultKind = keyof typeof MEMBERS;

/** A result, with the fields of its type. */
export interface Found {
  readonly kind: ResultKind;
}

const SearchResult = createUnionType({
  name: "SearchResult",
  description: "A result of a search.",
  types: () => Object.values(MEMBERS),
  resolveType: (found: object) => (found as Found).kind,
});

@ObjectType({ description: "The results of a search." })
export class SearchResults {
  @Directive("@semanticNonNull(levels: [0, 1])")
  @Field(() => [SearchResult], {
    nullable: "itemsAndList",
    description:
      "Results. First what the text names exactly, then what has a name or symbol that begins with it, then what has a name in which a later word begins with it. Within these, results are ordered by type, as in `SearchResult`, then by chain or network, as in the configuration. Tokens of one chain are ordered by the matching text. Tokens with the same text are ordered by the block of their first transfer, oldest first.",
  })
  results!: Found[];

  @Field(() => Boolean, { description: "True if there are more results after these." })
  hasMore!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      "Cursor of the last result, for `after`; null if there are no more results. A search can be read up to about 1,000 results: after these it is null too, and `hasMore` is true.",
  })
  endCursor!: string | null;

  @Field(() => [String], {
    description:
      "One sentence for each chain that could not be searched because nothing of it is indexed yet, with the reason. If the search finds nothing and could not search some chain, it fails with `UNAVAILABLE`.",
  })
  notSearched!: string[];
}

@ArgsType()
export class SearchArgs {
  @Field(() => String, {
    description:
      "Up to 200 characters: a block number or hash, a transaction hash, an EVM address, the name of a token, EVM chain or blockchain, or the beginning of a word of it, the symbol of a token or its beginning, a NodeID, the id of a subnet, blockchain, vertex, L1 validation or interchain message, an EVM chain id, or a Bech32 address.",
  })
  text!: string;

  @Field(() => Int, {
    nullable: true,
    // The gateway uses the default to compute the cost of GraphQL operations.
    defaultValue: INITIAL_RESULTS,
    description: `Maximum number of results, from 1 to ${MAX_RESULTS}. Default: ${INITIAL_RESULTS}.`,
  })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      "`endCursor` of the results before. Absent or empty for the first results. Valid for 24 hours, and only with the same text.",
  })
  after?: string | null;

  /** The number of results. Throws `INVALID_PARAMETER` if it is out of bounds. */
  get size(): number {
    return checkedSize("first", this.first ?? INITIAL_RESULTS, MAX_RESULTS);
  }
}
