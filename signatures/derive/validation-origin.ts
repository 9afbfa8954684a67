import { conversionValidationId, sha256 } from "../../core/formats/codec/bytes/hashes.ts";
import type { PTransaction } from "../../core/formats/codec/transactions/p-transactions.ts";
import type { ValidationOrigin } from "../codec/justification.ts";
import { managerMessage } from "./p-chain-message.ts";

/** The origin of a validation (hex) if the transaction created it; otherwise null. Throws `MalformedMessage`. */
export function originIn(transaction: PTransaction, validationId: string): ValidationOrigin | null {
  if (transaction.txType === "ConvertSubnetToL1Tx") {
    const { subnetId, validators } = transaction;
    const index = validators.findIndex((_, position) => conversionValidationId(subnetId, position) === validationId);
    return index < 0 ? null : { type: "conversion", subnetId, index };
  }
  if (transaction.txType !== "RegisterL1ValidatorTx") return null;
  const { bytes } = managerMessage(transaction, "RegisterL1Validator");
  return sha256(bytes) === validationId ? { type: "registration", message: bytes } : null;
}
