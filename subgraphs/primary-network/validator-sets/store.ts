import { type PartitionParameters, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import type { Part } from "../../shared/rows/completed.ts";
import { readInDirections } from "../../shared/rows/directions.ts";
import { directedName, inBothDirections } from "../../shared/rows/list-reader.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { ENDS, validatorSetStatement } from "./statement.ts";

/** Maximum number of entries that one statement considers for a page. */
const MAX_ENTRIES = 2_000;

/** Limit for the sum of the page sizes of all subnets in a request. */
const MAX_MEMBERS = 10_000;

/** The first `size` members of the validator set of a subnet after a block, beside an entry in a direction of the list. */
export interface ValidatorSetKey {
  readonly networkId: string;
  /** `0x` hex. */
  readonly subnetId: string;
  readonly blockNumber: string;
  /** Id of the entry beside the page, as `0x` hex; null if the page is at an end of the list. */
  readonly entryId: string | null;
  /** True for the members before that one, nearest first. */
  readonly isBackward: boolean;
  readonly size: number;
}

/** A node with its delegators, or an L1 validation. */
export interface Member {
  /** Id of the node, or of the L1 validation, as `0x` hex. */
  readonly entryId: string;
  readonly weight: string;
  /** Null for an inactive L1 validator. */
  readonly nodeId: string | null;
  readonly blsPublicKey: string | null;
}

export interface ValidatorSet extends ValidatorSetKey, Part<Member, string> {
  /** The last indexed block of the P-Chain. */
  readonly head: string;
}

export interface ValidatorSetStore {
  /** Reads pages of validator sets in one statement for each network. */
  pages(keys: readonly ValidatorSetKey[], work: Work): Promise<ValidatorSet[]>;
}

interface Row extends Omit<Member, "entryId"> {
  readonly request: string;
  readonly head: string;
  readonly lastCandidate: string | null;
  /** The columns of a member are null if the page is empty. */
  readonly entry_id: string | null;
}

export function createValidatorSetStore({ pool }: Pick<Database, "pool">, maxEntries = MAX_ENTRIES): ValidatorSetStore {
  const name = `validator-sets-${maxEntries}`;
  const readers = inBothDirections((isBackward) => {
    const text = validatorSetStatement(maxEntries, isBackward);
    const statement = prepared<{ [Name in keyof Row]: Row[Name] }>(pool, directedName(name, isBackward), text);
    return readRowsOfKeys(statement, PARAMETERS);
  });
  const read = readInDirections(readers, pageOfRows);
  return {
    async pages(keys, work) {
      if (keys.reduce((sum, { size }) => sum + size, 0) > MAX_MEMBERS + keys.length)
        throw new Failure(
          "INVALID_PARAMETER",
          `pageSize: the sizes of all pages of validatorSet may add up to at most ${MAX_MEMBERS}, got more`,
        );
      return read(keys, work);
    },
  };
}

const PARAMETERS: PartitionParameters<ValidatorSetKey> = {
  partitionOf: ({ networkId }) => networkId,
  valuesOf: (keys) => [
    keys.map(({ subnetId }) => bytea(subnetId)),
    keys.map(({ blockNumber }) => blockNumber),
    keys.map(({ entryId, isBackward }) =>
      entryId === null ? (isBackward ? ENDS.last : ENDS.first)[0] : bytea(entryId),
    ),
    keys.map(({ size }) => size),
  ],
};

/** An empty page has one row, whose columns of a member are null. */
function pageOfRows(key: ValidatorSetKey, rows: readonly Row[]): ValidatorSet[] {
  const [row] = rows;
  if (!row) return [];
  const { head, lastCandidate } = row;
  const items = rows.flatMap(({ entry_id: entryId, weight, nodeId, blsPublicKey }) =>
    entryId === null ? [] : [{ entryId, weight, nodeId, blsPublicKey }],
  );
  return [{ ...key, head, items, lastCandidate }];
}
