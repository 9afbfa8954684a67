import { Field, Int, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Address, Hash, Hex, Quantity } from "../../../core/graph/scalars.ts";
import type { EvmLog as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";

@ObjectType({ description: "A log that a contract emitted." })
export class EvmLog implements Omit<TextRow<Row>, "blockIndex" | "topic0" | "topic1" | "topic2" | "topic3"> {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Number of the block." })
  blockNumber!: string;

  @Field(() => Int, { description: "Index of the log in the block." })
  logIndex!: number;

  @Field(() => Hash, { description: "Hash of the transaction." })
  txHash!: string;

  @Field(() => Address, { description: "Contract that emitted the log." })
  address!: string;

  @Field(() => Hash, {
    nullable: true,
    description: "First topic. For most events, it is the hash of the event's signature.",
  })
  topic0!: string | null;

  @Field(() => Hash, { nullable: true, description: "Second topic." })
  topic1!: string | null;

  @Field(() => Hash, { nullable: true, description: "Third topic." })
  topic2!: string | null;

  @Field(() => Hash, { nullable: true, description: "Fourth topic." })
  topic3!: string | null;

  @Field(() => Hex, { description: "Data: the event's parameters that are not indexed." })
  data!: string;
}

@ObjectType({ description: "A page of logs." })
export class EvmLogConnection extends Connection(EvmLog, "Logs in the order in which they were emitted.") {}
