import { Field, Int, ObjectType } from "type-graphql";
import { Address, Hash, Hex, Quantity } from "../../../core/scalars.ts";
import type { EvmLog as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";

type EvmLogRow = Omit<TextRow<Row>, "blockIndex">;

@ObjectType({ description: "An event that a contract emitted.", simpleResolvers: true })
export class EvmLog implements EvmLogRow {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Height of its block." })
  blockNumber!: string;

  @Field(() => Int, { description: "Position in its block." })
  logIndex!: number;

  @Field(() => Hash, { description: "Transaction that it was emitted in." })
  txHash!: string;

  @Field(() => Address, { description: "The contract." })
  address!: string;

  @Field(() => Hash, { nullable: true, description: "First topic: as a rule, which event it is." })
  topic0!: string | null;

  @Field(() => Hash, { nullable: true, description: "Second topic." })
  topic1!: string | null;

  @Field(() => Hash, { nullable: true, description: "Third topic." })
  topic2!: string | null;

  @Field(() => Hash, { nullable: true, description: "Fourth topic." })
  topic3!: string | null;

  @Field(() => Hex, { description: "What is not in a topic." })
  data!: string;
}

@ObjectType({ description: "A page of logs.", simpleResolvers: true })
export class EvmLogPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [EvmLog], { description: "Logs, in the order in which they were emitted." })
  logs!: EvmLog[];
}
