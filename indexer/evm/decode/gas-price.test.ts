import type { WireReceipt } from "../wire/blocks.ts";
import { gasPriceOf } from "./transaction-row.ts";

describe("the effective gas price", () => {
  it.each([0n, 1n, 2n ** 53n, 2n ** 128n - 1n, 2n ** 128n, 2n ** 200n, 2n ** 256n - 1n])("may be %s", (price) => {
    const receipt = { effectiveGasPrice: `0x${price.toString(16)}` } as unknown as WireReceipt;
    expect(BigInt(gasPriceOf(receipt, undefined))).toBe(price);
  });
});
