import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Address, Quantity } from "../../../core/graph/scalars.ts";
import type { Erc1155Transfer as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { RichAddress } from "../addresses/types.ts";
import { TransferLocation, TransfersArgs } from "../transfers/types.ts";

/** The resolver loads the token by `tokenAddress` and `tokenId`. */
@ObjectType({
  description:
    "A transfer of an amount of one ERC-1155 token. A `TransferBatch` event has one transfer for each of its token ids.",
})
@Directive('@key(fields: "chainId blockNumber logIndex batchIndex")')
export class Erc1155Transfer extends TransferLocation implements Omit<TextRow<Row>, "from" | "to" | "blockIndex"> {
  tokenAddress!: string;
  tokenId!: string;

  @Field(() => RichAddress, { description: "Sender. The zero address if the amount was minted." })
  from!: RichAddress;

  @Field(() => RichAddress, { description: "Recipient. The zero address if the amount was burned." })
  to!: RichAddress;

  @Field(() => Int, { description: "Index of the log in the block." })
  logIndex!: number;

  @Field(() => Int, {
    description: "Index of the transfer in its `TransferBatch` event; 0 for a `TransferSingle` event.",
  })
  batchIndex!: number;

  @Field(() => Address, { description: "Address that requested the transfer: the owner or an approved operator." })
  operator!: string;

  @Field(() => Quantity, { description: "Amount." })
  value!: string;
}

@ObjectType({ description: "A page of ERC-1155 transfers." })
export class Erc1155TransferConnection extends Connection(
  Erc1155Transfer,
  "Transfers. In `Query.erc1155Transfers` they are newest first. In `EvmTransaction.erc1155Transfers` they are in log order.",
) {}

@ArgsType()
export class Erc1155TransfersArgs extends TransfersArgs {}
