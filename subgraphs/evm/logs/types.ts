import { ArgsType, Field, InputType, Int, ObjectType, registerEnumType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Address, Hash, Hex, Quantity } from "../../../core/graph/scalars.ts";
import type { EvmLog as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { FilteredArgs } from "../ranged-lists/args.ts";
import { BlockRangeFilter } from "../ranged-lists/range.ts";

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
export class EvmLogConnection extends Connection(
  EvmLog,
  "Logs. Those of a transaction are in the order in which they were emitted. Those of a contract are newest first.",
) {}

const ArgumentTopic = { TOPIC1: "topic1", TOPIC2: "topic2", TOPIC3: "topic3" } as const;
export type ArgumentTopic = (typeof ArgumentTopic)[keyof typeof ArgumentTopic];

registerEnumType(ArgumentTopic, {
  name: "ArgumentTopic",
  description: "A topic of a log that has an indexed argument of its event.",
  valuesConfig: {
    TOPIC1: { description: "`EvmLog.topic1`: for most events, the first indexed argument." },
    TOPIC2: { description: "`EvmLog.topic2`: for most events, the second indexed argument." },
    TOPIC3: { description: "`EvmLog.topic3`: for most events, the third indexed argument." },
  },
});

@InputType({ description: "Filter of logs by one indexed argument of their event." })
class IndexedArgumentFilter {
  @Field(() => Hash, { description: "First topic of the logs: for most events, the hash of the event's signature." })
  topic0!: string;

  @Field(() => ArgumentTopic, { description: "Topic that has the argument." })
  topic!: ArgumentTopic;

  @Field(() => Hash, {
    description:
      "Value of the topic: 32 bytes. Shorter values, such as an address or a number, have zeros before them. For text, bytes and arrays, it is the hash of the argument.",
  })
  value!: string;
}

@InputType({ description: "Filter of the logs of a contract. Logs fulfil all conditions." })
class ContractLogFilter extends BlockRangeFilter {
  @Field(() => Hash, {
    nullable: true,
    description: "Filter by the first topic: for most events, the hash of the event's signature.",
  })
  topic0?: string | null;

  @Field(() => IndexedArgumentFilter, {
    nullable: true,
    description:
      "Filter by the first topic together with the second, third or fourth one. No log fulfils it and another `topic0` beside it.",
  })
  indexedArgument?: IndexedArgumentFilter | null;
}

@InputType({ description: "Filter of logs. Logs fulfil all conditions." })
export class EvmLogFilter extends ContractLogFilter {
  @Field(() => Address, { description: "Filter by the contract that emitted the logs." })
  address!: string;
}

@ArgsType()
export class ContractLogsArgs extends FilteredArgs(ContractLogFilter) {}

@ArgsType()
export class EvmLogsArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => EvmLogFilter, { description: "Filter of the logs." })
  filter!: EvmLogFilter;
}
