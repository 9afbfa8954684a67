import { Field, InputType } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";

@InputType({
  description:
    "A block of a chain, by its number or by a time, after which a state is read. Exactly one of `block` and `time` must be given; otherwise the field fails with `INVALID_PARAMETER`. It also fails with `INVALID_PARAMETER` if the block is not indexed, if the time is later than the time up to which the chain is indexed, and if the time is before the first block.",
})
export class StateAt {
  @Field(() => Quantity, {
    nullable: true,
    description: "Number of a block. The state includes this block and all blocks before it.",
  })
  block?: string | null;

  @Field(() => Timestamp, {
    nullable: true,
    description: "The state includes all blocks with this timestamp or an earlier one.",
  })
  time?: string | null;
}

/** A block number or a time in seconds, both as decimal text. One of them is null. */
export interface Moment {
  readonly block: string | null;
  readonly time: string | null;
}

/** What `at` selects; null without `at`. Throws `INVALID_PARAMETER` unless exactly one member is given, as GraphQL's `@oneOf` requires. */
export function momentOf(at: StateAt | null | undefined): Moment | null {
  if (at === null || at === undefined) return null;
  const given = [at.block, at.time].filter((value) => value !== undefined);
  if (given.length !== 1 || given[0] === null)
    throw new Failure("INVALID_PARAMETER", "at must have exactly one of block and time");
  return { block: at.block ?? null, time: at.time ?? null };
}
