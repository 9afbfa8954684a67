/** A value of a genesis as answers have it; undefined where it cannot be had in that form, and is left out. */
type Convert = (value: unknown) => unknown;

/**
 * What answers say of a chain's genesis (`0x` hex, as statements give it): of one in the JSON of EVM chains the members
 * that the contract names, each of the type that it names, whatever its author wrote; any other as hex.
 */
export function genesisData(hex: string): object {
  const genesis = parsed(Buffer.from(hex.slice(2), "hex").toString());
  return genesis && ("config" in genesis || "alloc" in genesis)
    ? (GENESIS(genesis) as object)
    : { encoding: "hex", data: hex };
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Non-negative integers are written as numbers, as decimal text and as hex. */
function integerOf(value: unknown): bigint | undefined {
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

/** What a double cannot hold is left out rather than changed. */
const number: Convert = (value) => {
  const integer = integerOf(value);
  return integer === undefined || integer > Number.MAX_SAFE_INTEGER ? undefined : Number(integer);
};

const nullable =
  (convert: Convert): Convert =>
  (value) =>
    value === null ? null : convert(value);

const object =
  (members: Readonly<Record<string, Convert>>): Convert =>
  (value) =>
    isObject(value)
      ? kept(Object.entries(members).map(([name, convert]) => [name, convert(own(value, name))]))
      : undefined;

const map =
  (convert: Convert): Convert =>
  (value) =>
    isObject(value) ? kept(Object.entries(value).map(([name, member]) => [name, convert(member)])) : undefined;

const kept = (entries: readonly (readonly [string, unknown])[]): object =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined));

const own = (value: object, name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value;

const same = (convert: Convert, ...names: readonly string[]): Readonly<Record<string, Convert>> =>
  Object.fromEntries(names.map((name) => [name, convert]));

const ALLOW_LIST = object({
  blockTimestamp: number,
  ...same(texts, "adminAddresses", "managerAddresses", "enabledAddresses"),
});

const CONFIG = object({
  ...same(number, "berlinBlock", "byzantiumBlock", "constantinopleBlock", "eip150Block", "eip155Block", "eip158Block"),
  ...same(number, "homesteadBlock", "istanbulBlock", "londonBlock", "muirGlacierBlock", "petersburgBlock"),
  ...same(number, "chainId", "subnetEVMTimestamp"),
  eip150Hash: text,
  allowFeeRecipients: flag,
  feeConfig: object({
    ...same(number, "baseFeeChangeDenominator", "blockGasCostStep", "gasLimit", "maxBlockGasCost"),
    ...same(number, "minBaseFee", "minBlockGasCost", "targetBlockRate", "targetGas"),
  }),
  warpConfig: object({ blockTimestamp: number, quorumNumerator: number, requirePrimaryNetworkSigners: flag }),
  ...same(ALLOW_LIST, "txAllowListConfig", "contractDeployerAllowListConfig", "contractNativeMinterConfig"),
  ...same(ALLOW_LIST, "feeManagerConfig", "rewardManagerConfig"),
});

const GENESIS = object({
  ...same(nullable(number), "airdropAmount", "baseFeePerGas"),
  ...same(nullable(quantity), "blobGasUsed", "excessBlobGas"),
  ...same(text, "airdropHash", "coinbase", "extraData", "mixHash", "parentHash"),
  ...same(quantity, "difficulty", "gasLimit", "gasUsed", "nonce", "number", "timestamp"),
  alloc: map(object({ balance: quantity, code: text, storage: map(text) })),
  config: CONFIG,
});
