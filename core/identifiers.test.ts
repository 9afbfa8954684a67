import { getAddress } from "viem";
import { readManifest } from "../recordings/manifest.ts";
import { ALPHA } from "../recordings/replay-node.ts";
import { checksumAddress, isEvmAddress } from "./address.ts";
import { decodeCb58, encodeCb58, parseId } from "./cb58.ts";

describe("identifiers", () => {
  it("have addresses in the casing that viem gives them", () => {
    const addresses = Array.from(
      { length: 500 },
      (_, i) => `0x${(BigInt(i + 1) ** 20n).toString(16).padStart(40, "0").slice(-40)}`,
    );
    expect(addresses.map(checksumAddress)).toEqual(addresses.map((address) => getAddress(address)));
  });

  it.each(["0x", "0x12", `0x${"g".repeat(40)}`, `0x${"a".repeat(41)}`, "a".repeat(40), ""])(
    "know that %j is no address",
    (text) => {
      expect(isEvmAddress(text)).toBe(false);
    },
  );

  it("keep every blockchain, subnet and VM id of the recording through CB58 and hex", () => {
    const ids = readManifest(ALPHA).chains.flatMap(({ blockchainId, subnetId, vmId }) => [
      blockchainId,
      subnetId,
      vmId,
    ]);
    const hex = ids.map((id) => `0x${Buffer.from(decodeCb58(id) ?? []).toString("hex")}`);
    expect(hex.every((text) => text.length === 66)).toBe(true);
    expect(hex.map(parseId)).toEqual(ids);
    expect(ids.map((id) => encodeCb58(decodeCb58(id) as Uint8Array))).toEqual(ids);
    expect(ids.map(parseId)).toEqual(ids);
  });

  it.each(["", "1", "11111111111111111111111111111111LpoYZ", "0x12", "l".repeat(50), "2".repeat(60)])(
    "refuse %j as an id",
    (text) => {
      expect(parseId(text)).toBeNull();
    },
  );
});
