import { isObject, memberOf, parseJsonExactly } from "../../../core/formats/json.ts";

/** Converts a genesis value to its documented type; undefined (left out of the response) if it cannot be converted. */
type Convert = (value: unknown) => unknown;

/**
 * A blockchain's genesis (`0x` hex) in the API's form. For a genesis in the JSON format of EVM chains: the members in the REST
 * specification, each converted to its type in the specification. Any other genesis is returned as hex.
 */
export function genesisData(hex: string): object {
  const genesis = parseJsonExactly(Buffer.from(hex.slice(2), "hex").toString());
  return isObject(genesis) && GENESIS_MEMBERS.some((name) => memberOf(genesis, name) !== undefined)
    ? (GENESIS(genesis) as object)
    : { encoding: "hex", data: hex };
}

/** A JSON object with one of these is the genesis of an EVM chain. */
const GENESIS_MEMBERS = ["config", "alloc"];

/** Genesis files contain non-negative integers as numbers, decimal text and hex. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === "bigint") return value >= 0n ? value : undefined;
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 ? BigInt(value) : undefined;
  return typeof value === "string" && /^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(value) ? BigInt(value) : undefined;
}

const text: Convert = (value) => (typeof value === "string" ? value : undefined);
const flag: Convert = (value) => (typeof value === "boolean" ? value : undefined);
const texts: Convert = (value) => (Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined);

const quantity: Convert = (value) => {
  if (typeof value === "string" && /^0x/i.test(value)) return value;
  const integer = integerOf(value);
  return integer === undefined ? undefined : `0x${integer.toString(16)}`;
};

/** An integer that a double may not represent exactly is decimal text. REST writes its digits as a number. */
const number: Convert = (value) => {
  const integer = integerOf(value);
  if (integer === undefined) return undefined;
  return integer > Number.MAX_SAFE_INTEGER ? String(integer) : Number(integer);
};

const nullable =
  (convert: Convert): Convert =>
  (value) =>
    value === null ? null : convert(value);

const object =
  (converters: Readonly<Record<string, Convert>>): Convert =>
  (value) =>
    isObject(value)
      ? withoutUndefined(Object.entries(converters).map(([name, convert]) => [name, convert(memberOf(value, name))]))
      : undefined;

const map =
  (convert: Convert): Convert =>
  (value) =>
    isObject(value)
      ? withoutUndefined(Object.entries(value).map(([name, member]) => [name, convert(member)]))
      : undefined;

const withoutUndefined = (entries: readonly (readonly [string, unknown])[]): object =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined));

const members = (convert: Convert, ...names: readonly string[]): Readonly<Record<string, Convert>> =>
  Object.fromEntries(names.map((name) => [name, convert]));

const ALLOW_LIST = object({
  blockTimestamp: number,
  ...members(texts, "adminAddresses", "managerAddresses", "enabledAddresses"),
});

const CONFIG = object({
  ...members(
    number,
    "berlinBlock",
    "byzantiumBlock",
    "constantinopleBlock",
    "eip150Block",
    "eip155Block",
    "eip158Block",
  ),
  ...members(number, "homesteadBlock", "istanbulBlock", "londonBlock", "muirGlacierBlock", "petersburgBlock"),
  ...members(number, "chainId", "subnetEVMTimestamp"),
  eip150Hash: text,
  allowFeeRecipients: flag,
  feeConfig: object({
    ...members(number, "baseFeeChangeDenominator", "blockGasCostStep", "gasLimit", "maxBlockGasCost"),
    ...members(number, "minBaseFee", "minBlockGasCost", "targetBlockRate", "targetGas"),
  }),
  warpConfig: object({ blockTimestamp: number, quorumNumerator: number, requirePrimaryNetworkSigners: flag }),
  ...members(ALLOW_LIST, "txAllowListConfig", "contractDeployerAllowListConfig", "contractNativeMinterConfig"),
  ...members(ALLOW_LIST, "feeManagerConfig", "rewardManagerConfig"),
});

const GENESIS = object({
  ...members(nullable(number), "airdropAmount", "baseFeePerGas"),
  ...members(nullable(quantity), "blobGasUsed", "excessBlobGas"),
  ...members(text, "airdropHash", "coinbase", "extraData", "mixHash", "parentHash"),
  ...members(quantity, "difficulty", "gasLimit", "gasUsed", "nonce", "number", "timestamp"),
  alloc: map(object({ balance: quantity, code: text, storage: map(text) })),
  config: CONFIG,
});
