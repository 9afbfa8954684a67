import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Address, Hash, Quantity, Timestamp } from "../../../core/scalars.ts";
import type { Erc20Transfer as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";
import { RichAddress } from "../addresses/types.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";

type Erc20TransferRow = Omit<TextRow<Row>, "from" | "to" | "tokenAddress" | "blockIndex">;

@ObjectType({ description: "A transfer of an ERC-20 token.", simpleResolvers: true })
@Directive('@key(fields: "chainId blockNumber logIndex")')
export class Erc20Transfer implements Erc20TransferRow {
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

  @Field(() => RichAddress, { description: "Who gave." })
  from!: RichAddress;

  @Field(() => RichAddress, { description: "Who got." })
  to!: RichAddress;

  @Field(() => Int, { description: "Position of its log in the block." })
  logIndex!: number;

  @Field(() => Quantity, { description: "Amount, in the token's smallest unit." })
  value!: string;

  @Field(() => Erc20Token, { description: "The token." })
  erc20Token!: Erc20Token;
}

@ObjectType({ description: "A page of ERC-20 transfers.", simpleResolvers: true })
export class Erc20TransferPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [Erc20Transfer], { description: "Newest first; within a transaction that was asked for, in its order." })
  transactions!: Erc20Transfer[];
}

@ArgsType()
export class Erc20TransfersArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Who gave or got." })
  address!: string;

  @Field(() => Quantity, { nullable: true, description: "First block, included. Default: genesis." })
  startBlock?: string | null;

  @Field(() => Quantity, { nullable: true, description: "Last block, excluded. Default: up to the newest." })
  endBlock?: string | null;
}
