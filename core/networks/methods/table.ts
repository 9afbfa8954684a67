import { readFileSync } from "node:fs";
import { ConfigError } from "../../config/config.ts";
import { messageOf, quoted } from "../../errors/errors.ts";
import { faultOf, selectorOf } from "./signature.ts";

const BUNDLED = new URL("./signatures.txt", import.meta.url);

/** `0x` and the four bytes of a selector. */
const SELECTOR_LENGTH = 10;

const CREATION: Method = { callType: "CONTRACT_CREATION", methodHash: "", methodName: "Contract Created" };
const TRANSFER: Method = { callType: "NATIVE_TRANSFER", methodHash: "", methodName: "Native Transfer" };

/** Method that a transaction calls. */
export interface Method {
  readonly callType: "NATIVE_TRANSFER" | "CONTRACT_CALL" | "CONTRACT_CREATION";
  /** Selector of a contract call; empty for other types. */
  readonly methodHash: string;
  /** Signature with that selector, or a fixed name for other call types; null if no signature is known. */
  readonly methodName: string | null;
}

/** Names the methods that transactions call, by the bundled signatures and those of the operator. */
export interface MethodTable {
  /** Returns the method by recipient and call data (`0x` hex). It does not check whether the recipient is a contract. */
  of(transaction: { readonly to: string | null; readonly input: string }): Method;
}

/**
 * Reads the operator's file of signatures. They take precedence over the bundled ones. Within a file, the first signature of a
 * selector takes precedence. Throws `ConfigError` with the file, the line and the rule.
 */
export function createMethodTable(file: string | undefined): MethodTable {
  const configured = bySelector(file === undefined ? [] : readSignatures(file));
  const bundled = lazily(() => bySelector(linesOf(readFileSync(BUNDLED, "utf8")).map(({ text }) => text)));
  return {
    of({ to, input }) {
      if (to === null) return CREATION;
      const methodHash = input.slice(0, SELECTOR_LENGTH);
      if (methodHash === "0x") return TRANSFER;
      return {
        callType: "CONTRACT_CALL",
        methodHash,
        methodName: configured.get(methodHash) ?? bundled().get(methodHash) ?? null,
      };
    },
  };
}

/** Hashing the bundled signatures takes 100 ms, so it waits for the first lookup. */
function lazily<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

function bySelector(signatures: readonly string[]): ReadonlyMap<string, string> {
  return new Map(signatures.toReversed().map((signature) => [selectorOf(signature), signature]));
}

function readSignatures(file: string): string[] {
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

/** Returns the lines that are neither empty nor comments, with their numbers from 1. */
function linesOf(text: string): { text: string; number: number }[] {
  const lines = text.split("\n").map((line, at) => ({ text: line.trim(), number: at + 1 }));
  return lines.filter((line) => line.text !== "" && !line.text.startsWith("#"));
}
