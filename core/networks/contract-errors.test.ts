import { CONTRACT_ERRORS, NODE_ERRORS } from "../../test/support/node/call-errors.ts";
import { isContractError } from "./contract-errors.ts";

const textOf = ({ code, message, data }: { code: number; message: string; data?: unknown }) =>
  [code, JSON.stringify(message), data === undefined ? "" : JSON.stringify(data)] as const;

describe("an error answer to a call", () => {
  it.each(CONTRACT_ERRORS.map((error) => [...textOf(error), error] as const))(
    "is the contract's: %d %s %s",
    (_code, _message, _data, error) => {
      expect(isContractError(error)).toBe(true);
    },
  );

  it.each(NODE_ERRORS.map((error) => [...textOf(error), error] as const))(
    "is the node's: %d %s %s",
    (_code, _message, _data, error) => {
      expect(isContractError(error)).toBe(false);
    },
  );

  it("is the node's if it has other words before or behind those of the EVM", () => {
    for (const { message } of CONTRACT_ERRORS) {
      expect(isContractError({ message: `upstream: ${message}` })).toBe(false);
      if (!/revert|:|failed with error|missing function selector/i.test(message))
        expect([message, isContractError({ message: `${message}, try again later` })]).toEqual([message, false]);
    }
  });

  it.each([undefined, null, 7, {}, []])("is the node's without a text: %j", (message) => {
    expect(isContractError({ code: -32000, message })).toBe(false);
    expect(isContractError({ code: 3, message, data: message })).toBe(false);
  });
});
