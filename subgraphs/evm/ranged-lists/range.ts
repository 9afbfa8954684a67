import { Field, InputType } from "type-graphql";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { bigint, MAX_BIGINT } from "../../shared/rows/text-rows.ts";

@InputType()
export abstract class TimeFilter {
  @Field(() => Timestamp, { nullable: true, description: "Filter by block time: this second or later." })
  fromTime?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Filter by block time: before this second." })
  toTime?: string | null;
}

@InputType({ description: "A range of blocks and times of a chain. Items are in both ranges." })
export class BlockRangeFilter extends TimeFilter {
  @Field(() => Quantity, { nullable: true, description: "Filter by block number: this block or later." })
  fromBlock?: string | null;

  @Field(() => Quantity, { nullable: true, description: "Filter by block number: before this block." })
  toBlock?: string | null;
}

/** The range of times as parts of a list's key. */
export const timesOf = ({ fromTime, toTime }: TimeFilter): readonly [from: string, to: string] => [
  bigint(fromTime ?? "0"),
  bigint(toTime ?? MAX_BIGINT),
];

/** The range of blocks and times as parts of a list's key. */
export const rangeOf = (
  filter: BlockRangeFilter,
): readonly [from: string, to: string, fromTime: string, toTime: string] => [
  bigint(filter.fromBlock ?? "0"),
  bigint(filter.toBlock ?? MAX_BIGINT),
  ...timesOf(filter),
];

/** True if a filter, or none, leaves nothing out. */
export const isWhole = (filter: object | null | undefined): boolean =>
  Object.values(filter ?? {}).every((value) => value === null || value === undefined);

/** The range of all blocks, as parts of a list's key. */
export const ALL_BLOCKS: readonly string[] = ["0", MAX_BIGINT];
