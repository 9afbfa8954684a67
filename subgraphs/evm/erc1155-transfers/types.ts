import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Address, Hash, Quantity, Timestamp } from "../../../core/scalars.ts";
import type { Erc1155Transfer as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";
import { RichAddress } from "../addresses/types.ts";

type Erc1155TransferRow = Omit<TextRow<Row>, "from" | "to" | "blockIndex">;

/** The token is an address and an id here; its resolver says what is known of it. */
@ObjectType({
  description: "A transfer of an amount of an ERC-1155 token: one id of an event, which may have many.",
  simpleResolvers: true,
})
@Directive('@key(fields: "chainId blockNumber logIndex batchIndex")')
export class Erc1155Transfer implements Erc1155TransferRow {
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

  @Field(() => RichAddress, { description: "Who gave; the zero address when the amount was made." })
  from!: RichAddress;

  @Field(() => RichAddress, { description: "Who got; the zero address when the amount was burned." })
  to!: RichAddress;

  @Field(() => Int, { description: "Position of its log in the block." })
  logIndex!: number;

  @Field(() => Int, { description: "Position in its event; 0 in one that has a single id." })
  batchIndex!: number;

  @Field(() => Address, { description: "Who asked for the transfer." })
  operator!: string;

  @Field(() => Quantity, { description: "Amount." })
  value!: string;
}

@ObjectType({ description: "A page of ERC-1155 transfers.", simpleResolvers: true })
export class Erc1155TransferPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [Erc1155Transfer], {
    description: "Newest first; within a transaction that was asked for, in its order.",
  })
  transactions!: Erc1155Transfer[];
}

@ArgsType()
export class Erc1155TransfersArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Who gave or got." })
  address!: string;

  @Field(() => Quantity, { nullable: true, description: "First block, included. Default: genesis." })
  startBlock?: string | null;

  @Field(() => Quantity, { nullable: true, description: "Last block, excluded. Default: up to the newest." })
  endBlock?: string | null;
}
