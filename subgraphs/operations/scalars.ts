import { outputScalar, SPECIFIED_BY } from "../shared/schema/output-scalar.ts";

/** A 32-byte id as CB58 text. Output only. */
export const Id = outputScalar("Id", "A 32-byte id in CB58.", SPECIFIED_BY.Id, String);
