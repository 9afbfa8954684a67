import { readFileSync } from "node:fs";
import { toFunctionSelector } from "viem";
import { faultOf, selectorOf } from "./signature.ts";

const signatures = readFileSync(new URL("./signatures.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

/** From block explorers, compilers and the standards. */
const KNOWN: Readonly<Record<string, string>> = {
  "0xa9059cbb": "transfer(address,uint256)",
  "0x095ea7b3": "approve(address,uint256)",
  "0x23b872dd": "transferFrom(address,address,uint256)",
  "0x39509351": "increaseAllowance(address,uint256)",
  "0x40c10f19": "mint(address,uint256)",
  "0x42966c68": "burn(uint256)",
  "0xd505accf": "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
  "0xd0e30db0": "deposit()",
  "0x2e1a7d4d": "withdraw(uint256)",
  "0x42842e0e": "safeTransferFrom(address,address,uint256)",
  "0xb88d4fde": "safeTransferFrom(address,address,uint256,bytes)",
  "0xf242432a": "safeTransferFrom(address,address,uint256,uint256,bytes)",
  "0x2eb2c2d6": "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)",
  "0xa22cb465": "setApprovalForAll(address,bool)",
  "0x6e553f65": "deposit(uint256,address)",
  "0xba087652": "redeem(uint256,address,address)",
  "0x3659cfe6": "upgradeTo(address)",
  "0x4f1ef286": "upgradeToAndCall(address,bytes)",
  "0x715018a6": "renounceOwnership()",
  "0xf2fde38b": "transferOwnership(address)",
  "0x2f2ff15d": "grantRole(bytes32,address)",
  "0x56781388": "castVote(uint256,uint8)",
  "0x38ed1739": "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
  "0x7ff36ab5": "swapExactETHForTokens(uint256,address[],address,uint256)",
  "0xe8e33700": "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)",
  "0xf91b3f72": "addLiquidityAVAX(address,uint256,uint256,uint256,address,uint256)",
  "0x414bf389": "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))",
  "0x04e45aaf": "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))",
  "0xac9650d8": "multicall(bytes[])",
  "0x5ae401dc": "multicall(uint256,bytes[])",
  "0x3593564c": "execute(bytes,bytes[],uint256)",
  "0x82ad56cb": "aggregate3((address,bool,bytes)[])",
  "0x12aa3caf": "swap(address,(address,address,address,address,uint256,uint256,uint256),bytes,bytes)",
  "0x52bbbe29": "swap((bytes32,uint8,address,address,uint256,bytes),(address,bool,address,bool),uint256,uint256)",
  "0x617ba037": "supply(address,uint256,address,uint16)",
  "0xa415bcad": "borrow(address,uint256,uint256,uint16,address)",
  "0x852a12e3": "redeemUnderlying(uint256)",
  "0x6a761202": "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)",
  "0x1fad948c":
    "handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)",
  "0x9fbf10fc": "swap(uint16,uint256,uint256,address,uint256,uint256,(uint256,uint256,bytes),bytes,bytes)",
  "0x57ecfd28": "receiveMessage(bytes,bytes)",
  "0x96f4e9f9": "ccipSend(uint64,(bytes,bytes,(address,uint256)[],address,bytes))",
  "0xee5b48eb": "sendWarpMessage(bytes)",
  "0x62448850": "sendCrossChainMessage((bytes32,address,(address,uint256),uint256,address[],bytes))",
  "0xccb5f809": "receiveCrossChainMessage(uint32,address)",
  "0x4f5aaaba": "mintNativeCoin(address,uint256)",
  "0x704b6c02": "setAdmin(address)",
  "0x8f10b586": "setFeeConfig(uint256,uint256,uint256,uint256,uint256,uint256,uint256,uint256)",
};

describe("the bundled signatures", () => {
  it("are in canonical form, unique and sorted", () => {
    expect(signatures.filter((signature) => faultOf(signature) !== null)).toEqual([]);
    expect(signatures).toEqual([...new Set(signatures)].sort());
    expect(signatures.length).toBeGreaterThan(1_500);
  });

  it("have the selectors that viem computes, and no selector occurs twice", () => {
    const selectors = signatures.map(selectorOf);
    expect(selectors).toEqual(signatures.map((signature) => toFunctionSelector(signature)));
    expect(new Set(selectors).size).toBe(signatures.length);
  });

  it.each(Object.entries(KNOWN))("include %s as %s", (selector, signature) => {
    expect(signatures).toContain(signature);
    expect(selectorOf(signature)).toBe(selector);
  });
});

describe("a signature", () => {
  it.each([
    "f()",
    "_$9(address)",
    "f(uint8,int256,bytes1,bytes32,bytes,string,bool,function)",
    "f(address[2][],(bool,(int8[3],string)[])[4])",
  ])("may be %s", (text) => {
    expect(faultOf(text)).toBeNull();
  });

  it.each([
    ["transfer", "must be a name"],
    ["9f()", "must be a name"],
    ["f(address", "must be a name"],
    ["function f(address)", "must be a name"],
    ["f(address) returns (bool)", '"address) returns (bool" is not one'],
    ["f(uint)", '"uint" is not one'],
    ["f(uint256 amount)", '"uint256 amount" is not one'],
    ["f(address, bool)", '" bool" is not one'],
    ["f(address,)", '"" is not one'],
    ["f(uint7)", '"uint7" is not one'],
    ["f(uint264)", '"uint264" is not one'],
    ["f(uint08)", '"uint08" is not one'],
    ["f(bytes0)", '"bytes0" is not one'],
    ["f(bytes33)", '"bytes33" is not one'],
    ["f(address[0])", '"address[0]" is not one'],
    ["f(address[)", '"address[" is not one'],
    ["f(())", '"()" is not one'],
    ["f((address)", '"(address" is not one'],
    ["f((address)(bool))", '"address)(bool" is not one'],
    ["f(bool),(bool)", '"bool),(bool" is not one'],
    ["f((bool,(uint)[]))", '"uint" is not one'],
  ])("may not be %s", (text, fault) => {
    expect(faultOf(text)).toContain(fault);
  });
});
