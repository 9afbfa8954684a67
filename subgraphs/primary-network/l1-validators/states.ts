import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { parseDetails } from "../transactions/details.ts";

/** An L1 validator after a block of the P-Chain. */
export interface L1StateKey {
  readonly networkId: string;
  /** `0x` hex. */
  readonly subnetId: string;
  readonly validationId: string;
  readonly blockNumber: string;
  /** Time of the block, in seconds. */
  readonly blockTimestamp: string;
}

export interface L1State extends L1StateKey {
  readonly weight: string;
  readonly isActive: boolean;
  /** nAVAX. */
  readonly remainingBalance: string;
}

/** Reads states in one statement for each network. Validators that are not registered after the block are left out. */
export type FindL1States = (keys: readonly L1StateKey[], work: Work) => Promise<L1State[]>;

const BLOCK = (number: string): string =>
  `(SELECT b.l1_validators_accrued_fees FROM primary_blocks b WHERE b.network_id = $1 AND b.chain = 'P' AND b.block_number = ${number})`;

/** The last transaction up to the block of `k`. */
const LAST_TX = `(SELECT t.tx_seq FROM primary_transactions t WHERE t.network_id = $1 AND t.chain = 'P'
          AND t.block_timestamp <= k.block_timestamp AND t.block_number <= k.block_number
        ORDER BY t.block_timestamp DESC, t.tx_seq DESC LIMIT 1)`;

/**
 * The weight is that of the validator set. The last transaction of the validation has the balance after it; since then, the validator has
 * paid what a validator has accrued in fees. Every part reads one entry of an index.
 */
const AT = `SELECT k.request, w.weight::text, w.node_id IS NOT NULL AS "isActive", tx.details,
    ${BLOCK("k.block_number")}::text AS "accruedFees", tx.accrued_fees::text AS "txAccruedFees"
  FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[]) WITH ORDINALITY
      AS k(subnet_id, validation_id, block_number, block_timestamp, request)
    CROSS JOIN LATERAL (SELECT * FROM (SELECT v.weight, v.node_id, v.until_block FROM validator_weights v
        WHERE v.network_id = $1 AND v.subnet_id = k.subnet_id AND v.entry_id = k.validation_id
          AND v.block_number <= k.block_number ORDER BY v.block_number DESC LIMIT 1
      ) newest WHERE newest.until_block > k.block_number) w
    CROSS JOIN LATERAL (SELECT t.details, ${BLOCK("t.block_number")} AS accrued_fees
      FROM (SELECT l.tx_seq FROM l1_validator_transactions l WHERE l.network_id = $1 AND l.validation_id = k.validation_id
          AND l.tx_seq <= ${LAST_TX} ORDER BY l.tx_seq DESC LIMIT 1) last
        JOIN primary_transactions t ON t.network_id = $1 AND t.chain = 'P' AND t.tx_seq = last.tx_seq) tx`;

interface Row {
  readonly request: string;
  readonly weight: string;
  readonly isActive: boolean;
  readonly details: string | null;
  readonly accruedFees: string;
  readonly txAccruedFees: string;
}

export function createFindL1States({ pool }: Pick<Database, "pool">): FindL1States {
  const statement = prepared<{ [Name in keyof Row]: Row[Name] }>(pool, "l1-validator-states", AT);
  const read = readRowsOfKeys(statement, {
    partitionOf: ({ networkId }: L1StateKey) => networkId,
    valuesOf: (keys) => [
      keys.map(({ subnetId }) => bytea(subnetId)),
      keys.map(({ validationId }) => bytea(validationId)),
      keys.map(({ blockNumber }) => blockNumber),
      keys.map(({ blockTimestamp }) => blockTimestamp),
    ],
  });
  return async (keys, work) => {
    const byKey = await read(keys, work);
    return keys.flatMap((key, at) => (byKey[at] ?? []).map((row) => stateOf(key, row)));
  };
}

function stateOf(key: L1StateKey, { weight, isActive, details, accruedFees, txAccruedFees }: Row): L1State {
  const { l1Validators = [] } = parseDetails(details);
  const then = l1Validators.find(({ validationId }) => validationId === key.validationId);
  if (!then) throw new Error(`the transactions of validation ${key.validationId} have no state of it`);
  const paid = BigInt(accruedFees) - BigInt(txAccruedFees);
  const remainingBalance = isActive ? String(BigInt(then.remainingBalance) - paid) : "0";
  return { ...key, weight, isActive, remainingBalance };
}
