import { readFileSync } from "node:fs";
import { join } from "node:path";
import { blockchainInfoFromJSON } from "@avalanche-sdk/chainkit/models/components";
import { parseJsonExactly } from "../../../core/formats/json.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { genesisText } from "../../../rest-compat/node/genesis-text.ts";
import { genesisData } from "./genesis-data.ts";

const hexOf = (text: string | Buffer): string => `0x${Buffer.from(text).toString("hex")}`;
const converted = (genesis: unknown): object => genesisData(hexOf(JSON.stringify(genesis)));

/** Fails if the official client refuses a page that contains this genesis data. */
function expectAccepted(data: object): void {
  const text = `{"chainName":"","vmId":"","genesisData":${genesisText(data)}}`;
  const parsed = blockchainInfoFromJSON(text);
  expect([text, parsed.ok]).toEqual([text, true]);
}

const ALLOW_LIST = { blockTimestamp: 5, adminAddresses: ["0x1"], managerAddresses: ["0x2"], enabledAddresses: ["0x3"] };
const BLOCKS = [
  "berlinBlock",
  "byzantiumBlock",
  "constantinopleBlock",
  "eip150Block",
  "eip155Block",
  "eip158Block",
  "homesteadBlock",
  "istanbulBlock",
  "londonBlock",
  "muirGlacierBlock",
  "petersburgBlock",
  "subnetEVMTimestamp",
];
const FEES = [
  "baseFeeChangeDenominator",
  "blockGasCostStep",
  "gasLimit",
  "maxBlockGasCost",
  "minBaseFee",
  "minBlockGasCost",
  "targetBlockRate",
  "targetGas",
];
const LISTS = [
  "txAllowListConfig",
  "contractDeployerAllowListConfig",
  "contractNativeMinterConfig",
  "feeManagerConfig",
  "rewardManagerConfig",
];
const numbered = (names: readonly string[]) => Object.fromEntries(names.map((name, index) => [name, index]));

/** Every documented member, with its documented type. */
const WHOLE = {
  airdropAmount: null,
  airdropHash: "0x0",
  coinbase: "0x00",
  difficulty: "0x0",
  extraData: "0x",
  gasLimit: "0x1",
  gasUsed: "0x0",
  mixHash: "0x00",
  nonce: "0x0",
  number: "0x0",
  parentHash: "0x00",
  timestamp: "0x5",
  baseFeePerGas: 25_000_000_000,
  blobGasUsed: null,
  excessBlobGas: "0x0",
  alloc: { "0xaa": { balance: "0x5", code: "0x60", storage: { "0x01": "0x02" } }, bb: { balance: "0x0" } },
  config: {
    ...numbered(BLOCKS),
    chainId: 43_114,
    eip150Hash: "0x00",
    allowFeeRecipients: true,
    feeConfig: numbered(FEES),
    ...Object.fromEntries(LISTS.map((name) => [name, ALLOW_LIST])),
    warpConfig: { blockTimestamp: 1, quorumNumerator: 67, requirePrimaryNetworkSigners: false },
  },
};

describe("genesis data", () => {
  it("of an EVM chain has exactly the documented members", () => {
    expect(converted(WHOLE)).toEqual(WHOLE);
    const config = { ...WHOLE.config, cancunTime: 0, feeConfig: { ...WHOLE.config.feeConfig, other: {} } };
    expect(converted({ ...WHOLE, config, unknown: [], alloc: { ...WHOLE.alloc } })).toEqual(WHOLE);
    expectAccepted(converted(WHOLE));
  });

  it("of the recorded L1 equals its file", () => {
    const text = readFileSync(join(ALPHA, "l1-genesis.json"));
    const data = genesisData(hexOf(text)) as { config: { chainId: number }; alloc: object };
    expect(data.config.chainId).toBe(760012);
    expect(Object.keys(data.alloc)).toEqual(Object.keys(JSON.parse(text.toString()).alloc));
    expectAccepted(data);
  });

  it("converts numbers and hex to the documented types", () => {
    expect(
      converted({
        gasLimit: 8_000_000,
        difficulty: "131072",
        timestamp: "0x5",
        nonce: "0x00",
        baseFeePerGas: "0x5d21dba00",
        airdropAmount: "16",
        blobGasUsed: 0,
        config: { chainId: "0xa868", homesteadBlock: "0" },
        alloc: { a: { balance: 1_000, nonce: "0x1" }, b: { balance: "1000000000000000000000000" } },
      }),
    ).toEqual({
      gasLimit: "0x7a1200",
      difficulty: "0x20000",
      timestamp: "0x5",
      nonce: "0x00",
      baseFeePerGas: 25_000_000_000,
      airdropAmount: 16,
      blobGasUsed: "0x0",
      config: { chainId: 43_112, homesteadBlock: 0 },
      alloc: { a: { balance: "0x3e8" }, b: { balance: "0xd3c21bcecceda1000000" } },
    });
  });

  it("leaves out values that cannot be converted", () => {
    expect(
      converted({
        gasLimit: -1,
        timestamp: 1.5,
        nonce: {},
        number: null,
        coinbase: 5,
        baseFeePerGas: "many",
        alloc: null,
        config: { chainId: -5, berlinBlock: null, allowFeeRecipients: "yes", feeConfig: [], warpConfig: 5 },
      }),
    ).toEqual({ config: {} });
    const lists = {
      txAllowListConfig: { adminAddresses: ["0x1", 2, null], enabledAddresses: "0x3", blockTimestamp: null },
    };
    expect(converted({ alloc: { a: 5, b: { storage: { c: 1, d: "0x2" } } }, config: lists })).toEqual({
      alloc: { b: { storage: { d: "0x2" } } },
      config: { txAllowListConfig: { adminAddresses: ["0x1"] } },
    });
  });

  it.each(["9007199254740991", "9007199254740993", "18446744073709551615", String(2n ** 256n - 1n)])(
    "has the integer %s with all digits, wherever a number is documented",
    (digits) => {
      const isLarge = digits !== "9007199254740991";
      for (const written of [digits, `"${digits}"`, `"0x${BigInt(digits).toString(16)}"`])
        for (const path of numbersIn(WHOLE)) {
          const genesis = JSON.stringify(replaced(WHOLE, path, "MARK")).replace('"MARK"', written);
          const data = genesisData(hexOf(genesis));
          expect([path, data]).toEqual([path, replaced(WHOLE, path, isLarge ? digits : Number(digits))]);
          expect([path, parseJsonExactly(genesisText(data))]).toEqual([path, replaced(WHOLE, path, BigInt(digits))]);
        }
    },
  );

  it("has texts and names of digits as texts", () => {
    const digits = "1".repeat(20);
    const config = { eip150Hash: digits, feeManagerConfig: { adminAddresses: [digits] }, chainId: 5 };
    const alloc = { config: { code: digits, storage: { chainId: digits, [digits]: digits } } };
    const data = converted({ airdropHash: digits, coinbase: digits, alloc, config });
    expect(data).toEqual({ airdropHash: digits, coinbase: digits, alloc, config });
    expect(JSON.parse(genesisText(data))).toEqual(data);
  });

  it("reads names in upper and lower case, white space, and large integers as Go does", () => {
    const genesis =
      ' \n{"Config": {"chainID": 5, "CHAINID": 43114}, "alloc": {"a": {"Balance": 50000000000000000000000001}}}';
    const data = genesisData(hexOf(genesis));
    expect(data).toEqual({ config: { chainId: 43114 }, alloc: { a: { balance: "0x295be96e64066972000001" } } });
    expectAccepted(data);
  });

  it.each(["", "not JSON", "5", "null", '"config"', '[{"config":{}}]', '{"other":1}', "\u0000\u00ff", '{"config":{}'])(
    "of another VM is returned as hex: %j",
    (text) => {
      const data = genesisData(hexOf(text));
      expect(data).toEqual({ encoding: "hex", data: hexOf(text) });
      expectAccepted(data);
    },
  );

  it("is accepted by the official client, whatever types the genesis uses", () => {
    const odd = [null, true, -1, 1.5, 2 ** 70, "", "0x", "0xzz", "7", [], [1], {}, { config: 1 }, "__proto__"];
    const paths = pathsIn(WHOLE);
    expect(paths.length).toBeGreaterThan(50);
    for (const path of paths) for (const value of odd) expectAccepted(converted(replaced(WHOLE, path, value)));
    expectAccepted(genesisData(hexOf('{"config":{"__proto__":{"chainId":"x"}},"alloc":{"__proto__":{"balance":5}}}')));
  });
});

function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]));
  return path.length > 0 ? [path, ...inner] : inner;
}

function replaced(whole: object, [name = "", ...rest]: readonly string[], value: unknown): object {
  const inner = (whole as Record<string, object>)[name] ?? {};
  return { ...whole, [name]: rest.length === 0 ? value : replaced(inner, rest, value) };
}

/** Paths of the members that are numbers. */
const numbersIn = (whole: object) => pathsIn(whole).filter((path) => typeof valueAt(whole, path) === "number");

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value);
