import { parseNodeId } from "../../../core/formats/id-text.ts";
import { textOf } from "./json/go-text.ts";
import { elements, foldedName, kindOf, namedMembers, type RawJson } from "./json/raw-json.ts";

/** A node's error message for an argument of the wrong type. */
export const INVALID_ARGUMENT =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls";

/** The node id that Go decodes a null to. No node has it. */
const ZERO_NODE_ID = "NodeID-111111111111111111116DBWJs";

/** Maximum number of node ids that are read: one more than the graph accepts, so that the graph refuses a longer list. */
const MAX_NODE_IDS = 5_001;

/** Reads a value; undefined if it has the wrong type. */
type Read = (value: RawJson) => unknown;

const READERS = {
  text: readText,
  texts: listOf(readText, ""),
  nodeIds: listOf(readNodeId, ZERO_NODE_ID, MAX_NODE_IDS),
};

/** An argument of a method: the member of `params`, the variable of the operation, and the type. */
export interface Parameter {
  readonly member: string;
  readonly variable: string;
  readonly type: keyof typeof READERS;
}

/** Makes variables from `params`, which is an object or a list whose first element is an object. Null if a type is wrong. */
export function readArguments(
  params: RawJson | null,
  parameters: readonly Parameter[],
): Readonly<Record<string, unknown>> | null {
  const object = params === null ? null : argumentObject(params);
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
    // In Go, a null empties a list and does not change a string.
    if (!isNull || type !== "text") variables[variable] = value;
  }
  return variables;
}

/** The object that contains the arguments; null if there are none; undefined if `params` has another type. */
function argumentObject(params: RawJson): RawJson | null | undefined {
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

/** Like a node, it does not decode escapes: a node id has none. */
function readNodeId(value: RawJson): string | undefined {
  const text = kindOf(value) === "string" ? Buffer.from(value.subarray(1, -1)).toString("latin1") : "";
  return parseNodeId(text) === null ? undefined : text;
}

function listOf(
  read: (value: RawJson) => string | undefined,
  ofNull: string,
  maxItems = Number.POSITIVE_INFINITY,
): Read {
  return (list) => {
    if (kindOf(list) !== "array") return undefined;
    const found: string[] = [];
    let hasNull = false;
    for (const value of elements(list)) {
      if (found.length === maxItems) break;
      const isNull = kindOf(value) === "null";
      const text = isNull ? ofNull : read(value);
      if (text === undefined) return undefined;
      // Further nulls select nothing more than the first one.
      if (!isNull || !hasNull) found.push(text);
      hasNull ||= isNull;
    }
    return found;
  };
}
