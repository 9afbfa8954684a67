import { Directive, Field, ObjectType } from "type-graphql";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { graphEnum } from "./graph-enum.ts";

const VERIFICATION_SOURCES = {
  STORED_BLOCKS: "The blocks that the indexer has stored as the node returned them.",
  STORED_ROWS: "Other indexed rows, from which the value is computed.",
  NODE: "The node of the chain.",
} as const;

const VerificationSource = graphEnum<keyof typeof VERIFICATION_SOURCES>({
  name: "VerificationSource",
  description: "With what an indexed value was compared.",
  values: VERIFICATION_SOURCES,
});
type VerificationSource = keyof typeof VERIFICATION_SOURCES;

@ObjectType({ description: "An indexed value that differed from that with which it was compared." })
@Directive("@shareable")
class VerificationDifference {
  @Field(() => Timestamp, { description: "When the difference was found." })
  at!: string;

  @Field(() => VerificationSource, { description: "With what the indexed value was compared." })
  comparedWith!: VerificationSource;

  @Field(() => String, {
    description: "Table of the indexed value in the database, or the part of the network's state.",
  })
  table!: string;

  @Field(() => String, { description: "Key of the row, as columns with their values." })
  key!: string;

  @Field(() => String, { description: "The indexed values that differ. Long texts are cut." })
  indexed!: string;

  @Field(() => String, { description: "The values that they should have. Long texts are cut." })
  expected!: string;
}

@ObjectType({
  description:
    "The last comparison of a sample of a chain's indexed data with the stored blocks and with the node. The indexer compares samples by itself.",
})
@Directive("@shareable")
export class Verification {
  @Field(() => Quantity, {
    nullable: true,
    description:
      "Last indexed block at the last comparison that found no difference: samples of the data up to this block are proven to be right. Never above the last indexed block. Null if no comparison was without a difference yet.",
  })
  blockNumber!: string | null;

  @Field(() => Timestamp, { description: "When the last comparison ended." })
  at!: string;

  @Field(() => Quantity, { description: "Number of rows and values that the last comparison has compared." })
  checked!: string;

  @Field(() => Quantity, {
    description:
      "Number of those that differ. Differences are compared again by each later comparison, so this is 0 once they are repaired.",
  })
  differing!: string;

  @Field(() => VerificationDifference, {
    nullable: true,
    description: "The last difference that was found, also if it is repaired. Null if there never was one.",
  })
  lastDifference!: VerificationDifference | null;
}

/** Columns of a row with a verification; `verifiedAt` is null if there is none. */
export interface VerificationColumns {
  readonly verifiedBlockNumber: string | null;
  readonly verifiedAt: string | null;
  readonly checkedCount: string | null;
  readonly differingCount: string | null;
  readonly lastDifference: string | null;
}

/** SELECT list of `VerificationColumns`, from a table of verifications with the alias `v`. */
export const VERIFICATION_COLUMNS = `v.block_number AS "verifiedBlockNumber", v.verified_at AS "verifiedAt",
    v.checked_count AS "checkedCount", v.differing_count AS "differingCount", v.last_difference AS "lastDifference"`;

/** The verification of a row with these columns; null if there was none yet. */
export function verificationOf(row: VerificationColumns): Verification | null {
  const { verifiedBlockNumber, verifiedAt, checkedCount, differingCount, lastDifference } = row;
  if (verifiedAt === null || checkedCount === null || differingCount === null) return null;
  return {
    blockNumber: verifiedBlockNumber,
    at: verifiedAt,
    checked: checkedCount,
    differing: differingCount,
    lastDifference: lastDifference === null ? null : differenceOf(JSON.parse(lastDifference) as StoredDifference),
  };
}

type StoredDifference = Omit<VerificationDifference, "at"> & { readonly at: number };

const differenceOf = ({ at, ...difference }: StoredDifference): VerificationDifference => ({
  at: String(at),
  ...difference,
});
