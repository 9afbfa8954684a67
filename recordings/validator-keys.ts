import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const keysSchema = z.object({
  validators: z.array(
    z.object({
      name: z.string(),
      nodeId: z.string(),
      blsSecret: z.string(),
      tls: z.object({ key: z.string(), certificate: z.string() }).optional(),
    }),
  ),
});

/** Keys of a recorded validator: a BLS secret as hex digits, and the PEM texts of the TLS connections if the node ran. */
export type ValidatorKeys = z.infer<typeof keysSchema>["validators"][number];

/** The keys of every validator of a recorded network that has a BLS key; empty if they are not known. */
export function readValidatorKeys(folder: string): ValidatorKeys[] {
  const file = join(folder, "validator-keys.json");
  return existsSync(file) ? keysSchema.parse(JSON.parse(readFileSync(file, "utf8"))).validators : [];
}
