import { z } from "zod";
import { quoted } from "../errors/errors.ts";
import { keccak256 } from "../formats/keccak.ts";
import { faultOf } from "../networks/methods/signature.ts";

/** A parameter of a function, event or error. A tuple has components. */
export interface AbiParameter {
  /** Empty if it has no name. */
  readonly name: string;
  /** ABI type, such as `uint256`, `tuple` or `tuple[2][]`. */
  readonly type: string;
  /** True for a parameter of an event that is a topic. */
  readonly isIndexed: boolean;
  readonly components: readonly AbiParameter[];
}

export type AbiKind = "function" | "event" | "error";

/** A function, event or error of an ABI. */
export interface AbiEntry {
  readonly kind: AbiKind;
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
}

/** An ABI that breaks a rule. The message names the entry and the rule. */
export class InvalidAbi extends Error {}

/** Limits that keep the decoding of hostile data short. */
const MAX_ENTRIES = 5_000;
const MAX_PARAMETERS = 64;
const MAX_TUPLE_DEPTH = 8;
const MAX_NAME_LENGTH = 256;

interface JsonParameter {
  readonly name?: string | undefined;
  readonly type: string;
  readonly indexed?: boolean | undefined;
  readonly components?: readonly JsonParameter[] | undefined;
}

const NAME = z.string().max(MAX_NAME_LENGTH);
const parameterTo = (depth: number): z.ZodType<JsonParameter> =>
  z.object({
    name: NAME.optional(),
    type: NAME.min(1),
    indexed: z.boolean().optional(),
    components:
      depth === 0
        ? z.undefined()
        : z
            .array(z.lazy(() => parameterTo(depth - 1)))
            .max(MAX_PARAMETERS)
            .optional(),
  });
const ENTRY = z.object({
  type: z.enum(["function", "event", "error"]),
  name: NAME.min(1),
  inputs: z.array(parameterTo(MAX_TUPLE_DEPTH)).max(MAX_PARAMETERS).default([]),
  anonymous: z.boolean().optional(),
});
const KINDS: ReadonlySet<unknown> = new Set(["function", "event", "error"]);

/**
 * The functions, events and errors of an ABI in Solidity's JSON form. Constructors, fallbacks and anonymous events, which no data names, are
 * left out. Throws `InvalidAbi`.
 */
export function parseAbi(json: unknown): AbiEntry[] {
  if (!Array.isArray(json)) throw new InvalidAbi("an ABI must be a JSON list of entries");
  if (json.length > MAX_ENTRIES)
    throw new InvalidAbi(`an ABI may have at most ${MAX_ENTRIES} entries, got ${json.length}`);
  return json.flatMap((item: unknown, at) => {
    const { type, anonymous } = (typeof item === "object" && item !== null ? item : {}) as Record<string, unknown>;
    return KINDS.has(type) && anonymous !== true ? [parseEntry(item, `entry ${at}`)] : [];
  });
}

function parseEntry(item: unknown, what: string): AbiEntry {
  const parsed = ENTRY.safeParse(item);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new InvalidAbi(`${what} of the ABI: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  const { type, name, inputs } = parsed.data;
  const entry = { kind: type, name, inputs: inputs.map(normalised) };
  const fault = faultOf(signatureOf(entry));
  if (fault) throw new InvalidAbi(`${what} of the ABI has the signature ${quoted(signatureOf(entry))}: ${fault}`);
  return entry;
}

const normalised = ({ name = "", type, indexed = false, components = [] }: JsonParameter): AbiParameter => ({
  name,
  type,
  isIndexed: indexed,
  components: components.map(normalised),
});

const TUPLE = /^tuple((?:\[\d*\])*)$/;

/** The type of a parameter as signatures have it: a tuple is the list of the types of its components. */
export function canonicalType({ type, components }: AbiParameter): string {
  const arrays = TUPLE.exec(type)?.[1];
  return arrays === undefined ? type : `(${components.map(canonicalType).join(",")})${arrays}`;
}

const ARRAY = /^(.*)\[\d*\]$/;

/** The parameter that the elements of an array are; null if the parameter is no array. */
export function elementOf(parameter: AbiParameter): AbiParameter | null {
  const type = ARRAY.exec(parameter.type)?.[1];
  return type === undefined ? null : { ...parameter, type };
}

/** Name and types of an entry, such as `transfer(address,uint256)`. */
export const signatureOf = ({ name, inputs }: Pick<AbiEntry, "name" | "inputs">): string =>
  `${name}(${inputs.map(canonicalType).join(",")})`;

const SELECTOR_BYTES = 4;

/** What data names an entry by, as `0x` hex: the first four bytes of the hash of its signature; for an event the whole hash. */
export function selectorOf(entry: AbiEntry): string {
  const hash = Buffer.from(keccak256(Buffer.from(signatureOf(entry))));
  return `0x${(entry.kind === "event" ? hash : hash.subarray(0, SELECTOR_BYTES)).toString("hex")}`;
}
