import { parseNodeId } from "../../../core/id-text.ts";
import { textOf } from "./json/go-text.ts";
import { elements, foldedName, kindOf, namedMembers, type RawJson } from "./json/raw-json.ts";

/** What a node says of every argument that has not the type it must have. */
export const NO_ARGUMENT =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls";

/** The node id that Go has for a null: no node's. */
const ZERO_NODE_ID = "NodeID-111111111111111111116DBWJs";

/** Reads one value; undefined when it has the wrong type. */
type Read = (value: RawJson) => unknown;

const READERS = { text: readText, texts: listOf(readText, ""), nodeIds: listOf(readNodeId, ZERO_NODE_ID) };

/** An argument: the member that callers send, the variable of the operation, its type. */
export interface Parameter {
  readonly member: string;
  readonly variable: string;
  readonly type: keyof typeof READERS;
}

/** Variables from the params of a request, an object or a list that starts with one; null when a type is wrong. */
export function readArguments(
  params: RawJson | null,
  parameters: readonly Parameter[],
): Readonly<Record<string, unknown>> | null {
  const object = params === null ? null : structOf(params);
  if (object === undefined) return null;
  const variables: Record<string, unknown> = {};
  if (object === null) return variables;
  for (const { name, value: member } of namedMembers(object)) {
    const parameter = parameters.find((known) => foldedName(known.member) === name);
    if (!parameter) continue;
    const { type, variable } = parameter;
    const isNull = kindOf(member) === "null";
    const value = isNull ? null : READERS[type](member);
    if (value === undefined) return null;
    // A null empties a list and leaves a text as it is.
    if (!isNull || type !== "text") variables[variable] = value;
  }
  return variables;
}

/** The object that has the arguments; null when there is none; undefined when something else is in its place. */
function structOf(params: RawJson): RawJson | null | undefined {
  if (kindOf(params) === "object") return params;
  if (kindOf(params) !== "array") return undefined;
  for (const first of elements(params)) {
    const kind = kindOf(first);
    return kind === "object" ? first : kind === "null" ? null : undefined;
  }
  return null;
}

function readText(value: RawJson): string | undefined {
  return kindOf(value) === "string" ? textOf(value) : undefined;
}

/** Escapes are not undone, as in a node: an id has none. */
function readNodeId(value: RawJson): string | undefined {
  const text = kindOf(value) === "string" ? Buffer.from(value.subarray(1, -1)).toString("latin1") : "";
  return parseNodeId(text) === null ? undefined : text;
}

function listOf(read: (value: RawJson) => string | undefined, ofNull: string): Read {
  return (list) => {
    if (kindOf(list) !== "array") return undefined;
    const found: string[] = [];
    let hasNull = false;
    for (const value of elements(list)) {
      const isNull = kindOf(value) === "null";
      const text = isNull ? ofNull : read(value);
      if (text === undefined) return undefined;
      // One null asks for all that more of them would.
      if (!isNull || !hasNull) found.push(text);
      hasNull ||= isNull;
    }
    return found;
  };
}
