import { Kind, parse, print, type SelectionSetNode } from "graphql";

/** Parses the fields of a key or of `@requires`, such as `chainId blockNumber`. */
export function parseFieldSet(fields: string): SelectionSetNode {
  const [operation] = parse(`{ ${fields} }`, { noLocation: true }).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`not a set of fields: ${fields}`);
  return operation.selectionSet;
}

/** The text of such fields. */
export const printFieldSet = (fields: SelectionSetNode): string => print(fields).slice(1, -1).trim();
