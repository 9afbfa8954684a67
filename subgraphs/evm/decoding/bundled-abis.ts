import { readFileSync } from "node:fs";
import { parseDeclarations } from "../../../core/abi/abi-codec.ts";
import { type AbiEntry, type AbiKind, selectorOf } from "../../../core/abi/abi-entry.ts";

const INTERFACES = new URL("./bundled/interfaces.txt", import.meta.url);

const keyOf = (kind: AbiKind, selector: string): string => `${kind} ${selector}`;

let bySelector: ReadonlyMap<string, readonly AbiEntry[]> | undefined;

/**
 * The functions, events or errors of bundled interfaces with a selector (`0x` hex), in the order of the file. The first call reads the file,
 * which takes about 50 ms.
 */
export function bundledEntries(kind: AbiKind, selector: string): readonly AbiEntry[] {
  bySelector ??= grouped(parseDeclarations(declarationsOf(readFileSync(INTERFACES, "utf8"))));
  return bySelector.get(keyOf(kind, selector)) ?? [];
}

const declarationsOf = (text: string): string[] =>
  text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

function grouped(entries: readonly AbiEntry[]): ReadonlyMap<string, readonly AbiEntry[]> {
  const groups = new Map<string, AbiEntry[]>();
  for (const entry of entries) {
    const key = keyOf(entry.kind, selectorOf(entry));
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return groups;
}
