import { ArgsType, Field, Int, ObjectType } from "type-graphql";
import { Address, Hash, Quantity, Timestamp } from "../../../core/scalars.ts";
import { CurrencyCode, Price } from "../../shared/price.ts";

@ObjectType({ description: "An amount of a chain's own token, and what it is worth.", simpleResolvers: true })
export class NativeTokenBalance {
  @Field(() => String, { description: "Name of the token." })
  name!: string;

  @Field(() => String, { description: "Symbol of the token." })
  symbol!: string;

  @Field(() => Int, { description: "Decimals of the token." })
  decimals!: number;

  @Field(() => String, { nullable: true, description: "Logo of the token." })
  logoUri?: string | null;

  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Amount, in the token's smallest unit." })
  balance!: string;

  @Field(() => Price, {
    nullable: true,
    description: "What a whole token costs now or, where a block was asked for, cost at its time; null when not known.",
  })
  price!: Price | null;

  @Field(() => Price, {
    nullable: true,
    description: "What the balance is worth at that price, to 18 digits after the point; null when not known.",
  })
  balanceValue!: Price | null;
}

@ObjectType({ description: "What an address has of a chain's own token after a block.", simpleResolvers: true })
export class NativeTokenBalanceAt {
  @Field(() => Address, { description: "The address." })
  address!: string;

  @Field(() => Quantity, { description: "Height of the block." })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "When the block was made." })
  blockTimestamp!: string;

  @Field(() => Hash, { description: "Hash of the block." })
  blockHash!: string;

  @Field(() => NativeTokenBalance, { description: "The amount." })
  nativeTokenBalance!: NativeTokenBalance;
}

@ArgsType()
export class NativeTokenBalanceArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Whose balance." })
  address!: string;

  @Field(() => Quantity, { nullable: true, description: "After this block. Default: the last that is indexed." })
  blockNumber?: string | null;

  @Field(() => Timestamp, {
    nullable: true,
    description: "After the last block that was made by then, in place of `blockNumber`.",
  })
  blockTimestamp?: string | null;

  @Field(() => CurrencyCode, { description: "Currency of the prices.", defaultValue: CurrencyCode.usd })
  currency!: CurrencyCode;
}
