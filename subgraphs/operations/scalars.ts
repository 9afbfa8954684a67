import { outputScalar } from "../shared/schema/output-scalar.ts";

/** A 32-byte id as CB58 text. Output only. */
export const Id = outputScalar("Id", String);
