import type { Database } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { bytes } from "../../shared/rows/text-rows.ts";
import { byteListText } from "../identifiers/byte-lists.ts";
import type { L1ValidatorRow } from "./rows.ts";

export interface L1ValidationKey {
  readonly networkId: string;
  /** `0x` hex. */
  readonly validationId: string;
}

/** Returns a function that reads L1 validators by validation ID, in any order. Two statements for each network: validators, accrued fees. */
export function createL1ValidatorsByKey({ prisma }: Pick<Database, "prisma">) {
  const byKey = createRowsById(prisma, {
    partitionOf: ({ networkId }: L1ValidationKey) => networkId,
    idOf: ({ validationId }) => bytes(validationId),
    findMany: ({ l1Validator }, networkId, validationIds) =>
      l1Validator.findMany({ where: { networkId, validationId: { in: validationIds } } }),
  });
  const stateOf = (networkId: string, work: Work) =>
    prisma(({ pChainState }) => pChainState.findMany({ where: { networkId: BigInt(networkId) } }), work, networkId);
  return async (keys: readonly L1ValidationKey[], work: Work): Promise<L1ValidatorRow[]> => {
    const networkIds = [...new Set(keys.map(({ networkId }) => networkId))];
    const [rows, ...states] = await Promise.all([byKey(keys, work), ...networkIds.map((one) => stateOf(one, work))]);
    const accrued = new Map(
      states.flat().map((state) => [String(state.networkId), BigInt(state.l1AccruedFees.toFixed())]),
    );
    return rows.map((row) => ({
      ...row,
      balanceOwners: byteListText(row.remainingBalanceOwnerAddresses),
      deactivationOwners: byteListText(row.deactivationOwnerAddresses),
      remainingBalance: row.isActive ? String(BigInt(row.endAccumulatedFee) - (accrued.get(row.networkId) ?? 0n)) : "0",
    }));
  };
}
