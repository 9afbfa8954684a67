import { readFileSync } from "node:fs";
import { ConfigError } from "../../../core/config.ts";
import { messageOf, quoted } from "../../../core/errors.ts";
import type { EvmTransaction } from "../transactions/types.ts";
import { faultOf, selectorOf } from "./signature.ts";
import type { Method } from "./types.ts";

const BUNDLED = new URL("./signatures.txt", import.meta.url);

/** `0x` and the four bytes of a selector. */
const SELECTOR_LENGTH = 10;

const CREATION: Method = { callType: "CONTRACT_CREATION", methodHash: "", methodName: "Contract Created" };
const TRANSFER: Method = { callType: "NATIVE_TRANSFER", methodHash: "", methodName: "Native Transfer" };

/** What transactions ask for, by the bundled signatures and an operator's own. */
export interface MethodTable {
  /** By its receiver and its call data (`0x` hex); whether there is a contract at the receiver is not asked. */
  of(transaction: Pick<EvmTransaction, "to" | "input">): Method;
}

/**
 * Reads the operator's signatures, which come before the bundled ones; within a file the first of a selector counts.
 * Throws `ConfigError` with file, line and rule.
 */
export function createMethodTable(file: string | undefined): MethodTable {
  const own = bySelector(file === undefined ? [] : ownSignatures(file));
  const bundled = onDemand(() => bySelector(linesOf(readFileSync(BUNDLED, "utf8")).map(({ text }) => text)));
  return {
    of({ to, input }) {
      if (to === null) return CREATION;
      const methodHash = input.slice(0, SELECTOR_LENGTH);
      if (methodHash === "0x") return TRANSFER;
      return {
        callType: "CONTRACT_CALL",
        methodHash,
        methodName: own.get(methodHash) ?? bundled().get(methodHash) ?? null,
      };
    },
  };
}

/** Some thousand hashes are a tenth of a second: not at every start, but when the first name is asked for. */
function onDemand<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function bySelector(signatures: readonly string[]): ReadonlyMap<string, string> {
  return new Map(signatures.toReversed().map((signature) => [selectorOf(signature), signature]));
}

function ownSignatures(file: string): string[] {
  const setting = `setting methodSignatures is ${quoted(file)}`;
  return linesOf(textOf(file, setting)).map(({ text, number }) => {
    const fault = faultOf(text);
    if (fault) throw new ConfigError(`${setting}: line ${number} is ${quoted(text)}: ${fault}`);
    return text;
  });
}

function textOf(file: string, setting: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${setting}: must be a readable file: ${messageOf(error)}`);
  }
}

/** Lines that are neither empty nor comments, counted from 1. */
function linesOf(text: string): { text: string; number: number }[] {
  const lines = text.split("\n").map((line, at) => ({ text: line.trim(), number: at + 1 }));
  return lines.filter((line) => line.text !== "" && !line.text.startsWith("#"));
}
