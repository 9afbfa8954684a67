import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import type { Erc721Transfer as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { RichAddress } from "../addresses/types.ts";
import { TransferLocation, TransfersArgs } from "../transfers/types.ts";

/** The resolver loads the token by `tokenAddress` and `tokenId`. */
@ObjectType({ description: "A transfer of an ERC-721 token." })
@Directive('@key(fields: "chainId blockNumber logIndex")')
export class Erc721Transfer extends TransferLocation implements Omit<TextRow<Row>, "from" | "to" | "blockIndex"> {
  tokenAddress!: string;
  tokenId!: string;

  @Field(() => RichAddress, { description: "Sender. The zero address if the token was minted." })
  from!: RichAddress;

  @Field(() => RichAddress, { description: "Recipient. The zero address if the token was burned." })
  to!: RichAddress;

  @Field(() => Int, { description: "Index of the log in the block." })
  logIndex!: number;
}

@ObjectType({ description: "A page of ERC-721 transfers." })
export class Erc721TransferConnection extends Connection(
  Erc721Transfer,
  "Transfers. In `Query.erc721Transfers` they are newest first. In `EvmTransaction.erc721Transfers` they are in log order.",
) {}

@ArgsType()
export class Erc721TransfersArgs extends TransfersArgs {}
