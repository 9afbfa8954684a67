import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toFunctionSelector } from "viem";
import { C_CHAIN, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { ConfigError } from "../../config/config.ts";
import { createMethodTable } from "./table.ts";

const directory = mkdtempSync(join(tmpdir(), "moraine-methods-"));
afterAll(() => rmSync(directory, { recursive: true }));

function fileOf(text: string): string {
  const file = join(directory, "signatures.txt");
  writeFileSync(file, text);
  return file;
}

const TO = `0x${"11".repeat(20)}`;

describe("the method table", () => {
  const bundled = createMethodTable(undefined);

  it.each([
    [null, "0x6080", { callType: "CONTRACT_CREATION", methodHash: "", methodName: "Contract Created" }],
    [null, "0x", { callType: "CONTRACT_CREATION", methodHash: "", methodName: "Contract Created" }],
    [TO, "0x", { callType: "NATIVE_TRANSFER", methodHash: "", methodName: "Native Transfer" }],
    [TO, "0x01", { callType: "CONTRACT_CALL", methodHash: "0x01", methodName: null }],
    [TO, "0x010203", { callType: "CONTRACT_CALL", methodHash: "0x010203", methodName: null }],
    [TO, "0xd0e30db0", { callType: "CONTRACT_CALL", methodHash: "0xd0e30db0", methodName: "deposit()" }],
    [TO, "0xdeadbeef00", { callType: "CONTRACT_CALL", methodHash: "0xdeadbeef", methodName: null }],
    [
      TO,
      `0xa9059cbb${"0".repeat(128)}`,
      { callType: "CONTRACT_CALL", methodHash: "0xa9059cbb", methodName: "transfer(address,uint256)" },
    ],
  ])("maps a transaction to %s with call data %s to %j", (to, input, method) => {
    expect(bundled.of({ to, input })).toEqual(method);
  });

  it("prefers the operator's signatures to the bundled ones, and the first of those with the same selector", () => {
    // All have the selector of transfer(address,uint256).
    const collision = ["many_msg_babbage(bytes1)", "func_2093253501(bytes)"];
    expect(collision.map((signature) => toFunctionSelector(signature))).toEqual(["0xa9059cbb", "0xa9059cbb"]);
    const own = fileOf(`# ours\r\n\r\nmine(uint256)\r\n${collision[0]}\n  ${collision[1]}  \n`);
    const table = createMethodTable(own);
    expect(table.of({ to: TO, input: toFunctionSelector("mine(uint256)") }).methodName).toBe("mine(uint256)");
    expect(table.of({ to: TO, input: "0xa9059cbb" }).methodName).toBe("many_msg_babbage(bytes1)");
    expect(table.of({ to: TO, input: "0x095ea7b3" }).methodName).toBe("approve(address,uint256)");
  });

  it("throws an error with the file, the line and the rule if a line is not a signature", () => {
    const file = fileOf("mine(uint256)\n\n# next\ntransfer(address to)\n");
    expect(() => createMethodTable(file)).toThrow(ConfigError);
    expect(() => createMethodTable(file)).toThrow(
      `setting methodSignatures is "${file}": line 4 is "transfer(address to)": must have full ABI types, such as uint256, without spaces: "address to" is not one`,
    );
  });

  it("throws an error with the file if it cannot be read", () => {
    const file = join(directory, "none.txt");
    expect(() => createMethodTable(file)).toThrow(ConfigError);
    expect(() => createMethodTable(file)).toThrow(`setting methodSignatures is "${file}": must be a readable file: `);
    expect(() => createMethodTable(file)).toThrow("ENOENT");
  });
});

describe("a transaction", () => {
  let opened: OpenedEvm;
  beforeAll(async () => {
    opened = await openEvm();
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  it.each([
    ["to_address IS NULL", "CONTRACT_CREATION", "", "Contract Created"],
    ["to_address IS NOT NULL AND input = ''", "NATIVE_TRANSFER", "", "Native Transfer"],
    ["input = '\\x010203'", "CONTRACT_CALL", "0x010203", null],
    ["substring(input, 1, 4) = '\\xdeadbeef'", "CONTRACT_CALL", "0xdeadbeef", null],
    [
      "substring(input, 1, 4) = '\\xccb5f809'",
      "CONTRACT_CALL",
      "0xccb5f809",
      "receiveCrossChainMessage(uint32,address)",
    ],
  ])("where %s is a %s %s %s", async (where, callType, methodHash, methodName) => {
    const [txHash] = await opened.values(
      `SELECT '0x' || encode(tx_hash, 'hex') AS value FROM evm_transactions WHERE chain_id = ${C_CHAIN} AND ${where} LIMIT 1`,
    );
    const asked = `{ evmTransaction(chainId: "${C_CHAIN}", txHash: "${txHash}") { method { callType methodHash methodName } } }`;
    expect(await opened.ask(asked)).toEqual({
      data: { evmTransaction: { method: { callType, methodHash, methodName } } },
    });
  });
});
