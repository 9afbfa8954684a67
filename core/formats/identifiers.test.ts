import { getAddress } from "viem";
import { readManifest } from "../../recordings/manifest.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { checksumAddress, isEvmAddress } from "./address.ts";
import { decodeCb58, encodeCb58, parseId } from "./cb58.ts";
import { parseIdText, parseNodeId } from "./id-text.ts";

describe("identifiers", () => {
  it("write addresses with the EIP-55 checksum of viem", () => {
    const addresses = Array.from(
      { length: 500 },
      (_, i) => `0x${(BigInt(i + 1) ** 20n).toString(16).padStart(40, "0").slice(-40)}`,
    );
    expect(addresses.map(checksumAddress)).toEqual(addresses.map((address) => getAddress(address)));
  });

  it.each(["0x", "0x12", `0x${"g".repeat(40)}`, `0x${"a".repeat(41)}`, "a".repeat(40), ""])(
    "do not accept %j as an address",
    (text) => {
      expect(isEvmAddress(text)).toBe(false);
    },
  );

  it("convert every blockchain, subnet and VM id of the recording between CB58 and hex", () => {
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

  it("refuse an overlong CB58 text before decoding it", () => {
    const long = "2".repeat(1_000_000);
    expect([decodeCb58(long), parseId(long), parseIdText(long), parseNodeId(`NodeID-${long}`)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it("keep leading zero bytes in CB58", () => {
    for (const bytes of [new Uint8Array(32), Buffer.concat([new Uint8Array(5), Buffer.from("ab".repeat(27), "hex")])])
      expect(decodeCb58(encodeCb58(bytes))).toEqual(new Uint8Array(bytes));
  });
});
