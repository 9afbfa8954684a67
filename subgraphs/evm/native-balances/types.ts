import { ArgsType, Field, Int, ObjectType } from "type-graphql";
import { Address, Hash, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { CurrencyCode, Price } from "../../shared/prices/price.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";

@ObjectType({ description: "An amount of a chain's native token, with its price and value." })
export class NativeTokenBalance {
  @Field(() => String, { description: "Name of the token." })
  name!: string;

  @Field(() => String, { description: "Symbol of the token." })
  symbol!: string;

  @Field(() => Int, { description: "Decimals of the token." })
  decimals!: number;

  @Field(() => String, { nullable: true, description: "URI of the token's logo." })
  logoUri?: string | null;

  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Amount, in the token's smallest unit." })
  balance!: string;

  @Field(() => Price, {
    nullable: true,
    description:
      "Price of one whole token: the current price, or the price at the block's timestamp if the request names a block. Null if unknown.",
  })
  price!: Price | null;

  @Field(() => Price, {
    nullable: true,
    description: "Value of the balance at `price`, rounded to 18 decimal places; null if the price is unknown.",
  })
  balanceValue!: Price | null;
}

@ObjectType({ description: "Native token balance of an address after a block." })
export class NativeTokenBalanceAt {
  chainId!: string;

  @Field(() => Address, { description: "The address." })
  address!: string;

  @Field(() => Quantity, { description: "Number of the block." })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "Timestamp of the block." })
  blockTimestamp!: string;

  @Field(() => Hash, { description: "Hash of the block." })
  blockHash!: string;

  @Field(() => NativeTokenBalance, { description: "The balance." })
  nativeTokenBalance!: NativeTokenBalance;
}

@ArgsType()
export class NativeTokenBalanceArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the account or contract." })
  address!: string;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Block number. The balance includes this block and all blocks before it. Default: the last indexed block.",
  })
  blockNumber?: string | null;

  @RestOnly()
  @Field(() => Timestamp, {
    nullable: true,
    description:
      "Selects the last block whose timestamp is not later than this time. Fails with `INVALID_PARAMETER` if the time is after the last indexed block or before the first. Cannot be combined with `blockNumber`. See also `EvmAddress.nativeBalance(at:)`.",
  })
  blockTimestamp?: string | null;

  @Field(() => CurrencyCode, { description: "Currency of the prices.", defaultValue: "usd" })
  currency!: CurrencyCode;
}
