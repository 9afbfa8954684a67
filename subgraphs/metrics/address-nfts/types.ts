import { ArgsType, Field, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { SignedQuantity } from "../../../core/graph/scalars.ts";
import { StateAt } from "../../shared/schema/state-at.ts";
import type { NftHoldingRow } from "./store.ts";

@ObjectType({
  description: "An NFT (collection and token id), and how many of it an address holds after a block.",
})
export class NftBalance implements NftHoldingRow {
  chainId!: string;
  tokenAddress!: string;
  tokenId!: string;
  ercType!: string;

  @Field(() => SignedQuantity, {
    description: "Number of tokens, summed from the collection's transfer events; always above 0.",
  })
  balance!: string;
}

@ObjectType({ description: "A page of NFTs that an address holds." })
export class NftBalanceConnection extends Connection(
  NftBalance,
  "NFTs, by ascending address of the collection, then by ascending token id.",
) {}

@ArgsType()
export class NftsArgs extends ConnectionArgs({ max: 100, initial: 100 }) {
  @Field(() => StateAt, {
    nullable: true,
    description:
      "Block of the balances, which all pages of the list have. Default: the last indexed block at the time of each page.",
  })
  at?: StateAt | null;
}
