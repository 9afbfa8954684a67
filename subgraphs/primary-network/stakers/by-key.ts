import type { Database } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { bytes } from "../../shared/rows/text-rows.ts";
import { byteListText } from "../identifiers/byte-lists.ts";
import type { StakerKey, StakerRow } from "./rows.ts";

/**
 * Returns a function that reads validators and delegators by their staking transactions, in any order. One statement, and
 * one more for the fees of the delegators' validators.
 */
export function createStakersByKey({ prisma }: Pick<Database, "prisma">) {
  const byKey = createRowsById(prisma, {
    partitionOf: ({ networkId }: StakerKey) => networkId,
    idOf: ({ txHash }) => bytes(txHash),
    findMany: ({ staker }, networkId, txHashes) => staker.findMany({ where: { networkId, txHash: { in: txHashes } } }),
  });
  return async (keys: readonly StakerKey[], work: Work): Promise<StakerRow[]> => {
    const rows = await byKey(keys, work);
    const validators = rows.flatMap(({ networkId, validatorTxHash }) =>
      validatorTxHash === null ? [] : [{ networkId, txHash: validatorTxHash }],
    );
    const found = validators.length === 0 ? [] : await byKey(validators, work);
    const shares = new Map(found.map((row) => [`${row.networkId} ${row.txHash}`, row.shares]));
    return rows.map((row) => ({
      ...row,
      rewardAddresses: byteListText(row.rewardAddresses),
      validatorShares: shares.get(`${row.networkId} ${row.validatorTxHash}`) ?? null,
    }));
  };
}
