import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Quantity } from "../../../core/graph/scalars.ts";
import type { Erc20Transfer as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { RichAddress } from "../addresses/types.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { TransferLocation, TransfersArgs } from "../transfers/types.ts";

@ObjectType({ description: "A transfer of an ERC-20 token." })
@Directive('@key(fields: "chainId blockNumber logIndex")')
export class Erc20Transfer
  extends TransferLocation
  implements Omit<TextRow<Row>, "from" | "to" | "tokenAddress" | "blockIndex">
{
  @Field(() => RichAddress, { description: "Sender." })
  from!: RichAddress;

  @Field(() => RichAddress, { description: "Recipient." })
  to!: RichAddress;

  @Field(() => Int, { description: "Index of the log in the block." })
  logIndex!: number;

  @Field(() => Quantity, { description: "Amount, in the token's smallest unit." })
  value!: string;

  @Field(() => Erc20Token, { description: "Token that was transferred." })
  erc20Token!: Erc20Token;
}

@ObjectType({ description: "A page of ERC-20 transfers." })
export class Erc20TransferConnection extends Connection(
  Erc20Transfer,
  "Transfers. In `Query.erc20Transfers` and `Erc20Token.transfers` they are newest first. In `EvmTransaction.erc20Transfers` they are in log order.",
) {}

@ArgsType()
export class Erc20TransfersArgs extends TransfersArgs {}
