import { z } from "zod";
import { ConfigError } from "../../core/config/config.ts";

/** Changes with the format of the files. Another version of Moraine reads all formats up to its own. */
export const FORMAT = 1;
export const MANIFEST = "manifest.json";

const count = z.number().int().min(0);
const id = z.string().regex(/^\d+$/);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** The last block of a file. Ids are hex. */
const tip = z.object({
  height: z.number().int().min(-1),
  blockId: hash,
  /** Id of the ProposerVM wrapper. The block's own id if it has none, and on EVM chains. */
  containerId: hash,
});

const file = z.object({
  /** Below the directory of the manifest. It has a part of the hash, so a file never changes. */
  path: z.string().regex(/^[\w-]+\/\w[\w.-]*$/),
  rows: count,
  bytes: count,
  sha256: hash,
});

const blockFile = file.extend({
  /** The first and the last block: numbers of an EVM chain; of a primary network those of `primary_raw_blocks.seq`. */
  from: count,
  to: count,
  /** False for the last file of a chain while it is smaller than a full one. */
  isFull: z.boolean(),
  /** Null after a vertex. */
  tip: tip.nullable(),
  /** Number of blocks whose call trees are missing, or of vertices whose time is known. If it has changed, the file is written again. */
  mark: count,
});

const chain = z.object({
  /** `raw_blocks` with their `raw_traces`, or `primary_raw_blocks`. */
  table: z.enum(["raw_blocks", "primary_raw_blocks"]),
  /** EVM chain id, or id of the primary network. */
  id,
  /** P or X; empty for an EVM chain. */
  chain: z.enum(["", "P", "X"]),
  files: z.array(blockFile),
});

const table = z.object({ table: z.string(), columns: z.array(z.string()), files: z.array(file) });

/** What a backup or an archive has. */
const manifestSchema = z.object({
  format: z.literal(FORMAT),
  /** A backup also has the tables of this installation, among them secrets. An archive can be published. */
  kind: z.enum(["backup", "archive"]),
  /** Version of Moraine, and the last migration of its database. */
  moraine: z.string(),
  migration: z.string(),
  /** False until a first run has written all files. Later runs only add to what can be restored. */
  isComplete: z.boolean(),
  /** When the last run began, in seconds since the epoch. */
  createdAt: count,
  chains: z.array(chain),
  /** The EVM chains and networks of a backup that has only these; missing in a backup of the whole database. */
  only: z.object({ chains: z.array(id), networks: z.array(id) }).optional(),
  /** Empty in an archive. */
  tables: z.array(table),
  /** Rules of the primary networks, as the column `primary_networks.rules` has them, by id of the network. */
  rules: z.record(z.string(), z.string()),
});

export type Tip = z.infer<typeof tip>;
export type StoredFile = z.infer<typeof file>;
export type BlockFile = z.infer<typeof blockFile>;
export type ChainFiles = z.infer<typeof chain>;
/** Which chain the files are of. */
export type ChainKey = Pick<ChainFiles, "table" | "id" | "chain">;
export type TableFiles = z.infer<typeof table>;
export type Manifest = z.infer<typeof manifestSchema>;

/** `where` names the manifest in errors. Throws `ConfigError`. */
export function parseManifest(text: string, where: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ConfigError(`${where} is not JSON: it is damaged, or not written by moraine backup`);
  }
  const { format } = (value ?? {}) as { readonly format?: unknown };
  if (typeof format === "number" && format > FORMAT)
    throw new ConfigError(
      `${where} has format ${format}, which a newer version of Moraine has written: use that version`,
    );
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ConfigError(`${where} is not a manifest of moraine backup: ${issue?.path.join(".")}: ${issue?.message}`);
}

/** The chains and networks of a backup that has only these. */
export type Scope = NonNullable<Manifest["only"]>;

/** True if a chain of a primary network or an EVM chain belongs to a backup. */
export const isInScope = (only: Scope | undefined, { table, id }: Pick<ChainKey, "table" | "id">): boolean =>
  !only || (table === "raw_blocks" ? only.chains : only.networks).includes(id);

/** The chains and networks of a scope, for people. */
export const scopeName = ({ chains, networks }: Scope): string =>
  [...chains.map((one) => `chain ${one}`), ...networks.map((one) => `primary network ${one}`)].join(" and ");

/**
 * `WHERE` with the condition for the rows of a scope in a table with these columns; empty without a scope. Null if rows of the table belong
 * to no chain or network.
 */
export function whereInScope(only: Scope | undefined, columns: readonly string[]): string | null {
  if (!only) return "";
  const among = (column: string, ids: readonly string[]) => `WHERE ${column} = ANY ('{${ids.join()}}')`;
  if (columns.includes("chain_id")) return among("chain_id", only.chains);
  return columns.includes("network_id") ? among("network_id", only.networks) : null;
}

/** The name of a chain for people. */
export const chainName = ({ table, id, chain }: ChainKey): string =>
  table === "raw_blocks" ? `chain ${id}` : `${chain}-Chain of network ${id}`;

/** The folder of a chain's files. */
export const chainFolder = ({ table, id, chain }: ChainKey): string =>
  table === "raw_blocks" ? `evm-${id}` : `primary-${id}-${chain}`;
