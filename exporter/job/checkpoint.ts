import { z } from "zod";

const bound = z.strictObject({
  chain: z.string(),
  blockNumber: z.string(),
  blockHash: z.string(),
  transactionCount: z.string().optional(),
});

const schema = z.strictObject({
  /** No attempt exports blocks above these. */
  bounds: z.array(bound),
  /** First day that is not exported, because the export would be too large; null if all is exported. */
  nextDate: z.string().nullable(),
  totalRows: z.number().int(),
  /** Warnings for the message of the completed operation. The attempt that begins the file reads them. */
  warnings: z.array(z.string()),
  /** Where reading continues; null: at the first row. */
  position: z.string().nullable(),
  rows: z.number().int(),
  bytes: z.number().int(),
  /** State of the SHA-256 of all bytes, as base64. */
  hash: z.string(),
  /** State of the file in its store. */
  store: z.string(),
});

/**
 * What an attempt needs to continue where the last one stored a part. A staking export continues only if no P-Chain block has
 * been indexed since.
 */
export type Checkpoint = z.infer<typeof schema>;

/** The checkpoint of an operation. Null if there is none, or if another version of Moraine wrote it. */
export function parseCheckpoint(text: string | null): Checkpoint | null {
  if (text === null) return null;
  const parsed = schema.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
}
