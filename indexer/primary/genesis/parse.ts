import { z } from "zod";
import { ConfigError } from "../../../core/config/config.ts";
import { messageOf, quoted } from "../../../core/errors/errors.ts";
import { parseAddress } from "../../../core/formats/bech32.ts";
import { parseNodeId } from "../../../core/formats/id-text.ts";
import { parseJson } from "../../../core/formats/json.ts";
import { isJsonText, isObject, type JsonText, parseJsonTexts } from "../../shared/number-text.ts";
import type { GenesisFile } from "./genesis-file.ts";
import { validateGenesisFile } from "./validate.ts";

const U32 = 2n ** 32n - 1n;
const U64 = 2n ** 64n - 1n;
/** Largest time in seconds that a node can hold as 64-bit nanoseconds. */
const MOST_SECONDS = 9_223_372_036n;
const MOST_MESSAGE_BYTES = 65_535;

const string = z
  .custom<JsonText>((value) => isJsonText(value) && !value.isNumber, "must be a string")
  .transform(({ text }) => text);
const isWhole = (value: unknown): value is JsonText =>
  isJsonText(value) && value.isNumber && /^\d{1,20}$/.test(value.text);
const whole = (most: bigint) =>
  z
    .custom<JsonText>(
      (value) => isWhole(value) && BigInt(value.text) <= most,
      `must be a whole number of at most ${most}`,
    )
    .transform(({ text }) => BigInt(text));

const amount = whole(U64);
const u32 = whole(U32).transform(Number);
const seconds = whole(MOST_SECONDS).transform(Number);

/** Text of bytes. An address may have the prefix of another network or chain, because a node uses its bytes only. */
const bytesAs = (parse: (text: string) => string | null, rule: string) =>
  string.transform((text, context) => {
    const bytes = parse(text);
    if (bytes === null) context.addIssue(rule);
    return bytes ?? z.NEVER;
  });
const hexBytes = (count: number) => {
  const digits = new RegExp(`^0x([0-9a-f]{${count * 2}})$`, "i");
  return bytesAs((text) => digits.exec(text)?.[1]?.toLowerCase() ?? null, `must be 0x and ${count * 2} hex digits`);
};
const address = bytesAs((text) => {
  const parsed = parseAddress(text);
  return parsed?.chain ? parsed.address : null;
}, "must be an address such as X-custom1…, with a correct checksum");
const nodeId = bytesAs(parseNodeId, "must be a node id such as NodeID-…, with a correct checksum");

const list = <Element extends z.ZodType>(element: Element) => z.array(element, "must be a list");
const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .custom<Readonly<Record<string, unknown>>>(isObject, { message: "must be an object", abort: true })
    .pipe(z.object(shape));

/** Defaults are those of a node. Unknown members are ignored, as a node does. */
const genesisFile = object({
  networkID: u32,
  allocations: list(
    object({
      ethAddr: hexBytes(20),
      avaxAddr: address,
      initialAmount: amount.default(0n),
      unlockSchedule: list(object({ amount, locktime: amount.default(0n) }))
        .nullish()
        .transform((unlocks) => unlocks ?? []),
    }),
  ),
  startTime: seconds,
  initialStakeDuration: seconds,
  initialStakeDurationOffset: seconds.default(0),
  initialStakedFunds: list(address),
  initialStakers: list(
    object({
      nodeID: nodeId,
      rewardAddress: address,
      delegationFee: u32.default(0),
      signer: object({ publicKey: hexBytes(48), proofOfPossession: hexBytes(96) })
        .nullish()
        .transform((signer) => signer ?? null),
    }).transform(({ nodeID, ...staker }) => ({ nodeId: nodeID, ...staker })),
  ),
  cChainGenesis: string.refine((text) => parseJson(text) !== undefined, "must be JSON in a string"),
  message: string
    .refine((text) => Buffer.byteLength(text) <= MOST_MESSAGE_BYTES, `must be of at most ${MOST_MESSAGE_BYTES} bytes`)
    .default(""),
}).transform(({ networkID, ...file }): GenesisFile => ({ networkId: networkID, ...file }));

/**
 * Parses a genesis file in the format of a node. Throws `ConfigError`: one line that starts with `what` and names the member,
 * its value and the rule.
 */
export function parseGenesisFile(text: string, what = "the genesis file"): GenesisFile {
  const input = parseTexts(text, what);
  const parsed = genesisFile.safeParse(input);
  if (!parsed.success) throw new ConfigError(`${what}: ${messageOfIssue(parsed.error.issues[0], input)}`);
  const problem = validateGenesisFile(parsed.data);
  if (problem) throw new ConfigError(`${what}: ${problem}`);
  return parsed.data;
}

function parseTexts(text: string, what: string): unknown {
  try {
    return parseJsonTexts(text);
  } catch (error) {
    throw new ConfigError(`${what} must be JSON: ${messageOf(error)}`);
  }
}

function messageOfIssue(issue: z.core.$ZodIssue | undefined, input: unknown): string {
  const path = issue?.path ?? [];
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input);
  const member = path.length > 0 ? `member ${path.map(String).join(".")}` : "the file";
  if (value === undefined) return `${member} is missing`;
  return `${member} is ${textOf(value)}: ${issue?.message}`;
}

function textOf(value: unknown): string {
  if (!isJsonText(value)) return Array.isArray(value) ? "a list" : isObject(value) ? "an object" : quoted(value);
  return value.isNumber ? value.text : quoted(value.text);
}
