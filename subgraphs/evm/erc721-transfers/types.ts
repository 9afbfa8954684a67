import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Address, Hash, Quantity, Timestamp } from "../../../core/scalars.ts";
import type { Erc721Transfer as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";
import { RichAddress } from "../addresses/types.ts";

type Erc721TransferRow = Omit<TextRow<Row>, "from" | "to" | "blockIndex">;

/** The token is an address and an id here; its resolver says what is known of it. */
@ObjectType({ description: "A transfer of an ERC-721 token.", simpleResolvers: true })
@Directive('@key(fields: "chainId blockNumber logIndex")')
export class Erc721Transfer implements Erc721TransferRow {
  tokenAddress!: string;
  tokenId!: string;

  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Height of its block." })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "When its block was made." })
  blockTimestamp!: string;

  @Field(() => Hash, { description: "Hash of its block." })
  blockHash!: string;

  @Field(() => Hash, { description: "Transaction that it happened in." })
  txHash!: string;

  @Field(() => RichAddress, { description: "Who gave; the zero address when the token was made." })
  from!: RichAddress;

  @Field(() => RichAddress, { description: "Who got; the zero address when the token was burned." })
  to!: RichAddress;

  @Field(() => Int, { description: "Position of its log in the block." })
  logIndex!: number;
}

@ObjectType({ description: "A page of ERC-721 transfers.", simpleResolvers: true })
export class Erc721TransferPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [Erc721Transfer], {
    description: "Newest first; within a transaction that was asked for, in its order.",
  })
  transactions!: Erc721Transfer[];
}

@ArgsType()
export class Erc721TransfersArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Who gave or got." })
  address!: string;

  @Field(() => Quantity, { nullable: true, description: "First block, included. Default: genesis." })
  startBlock?: string | null;

  @Field(() => Quantity, { nullable: true, description: "Last block, excluded. Default: up to the newest." })
  endBlock?: string | null;
}
