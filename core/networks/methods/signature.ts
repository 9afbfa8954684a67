import { quoted } from "../../errors/errors.ts";
import { keccak256 } from "../../formats/keccak.ts";

const FORM = /^[A-Za-z_$][\w$]*\((.*)\)$/;
const ARRAYS = /(\[([1-9]\d*)?\])+$/;
const PLAIN = /^(address|bool|string|bytes|function)$/;
const SIZED_BYTES = /^bytes([1-9]|[12]\d|3[0-2])$/;
const SIZED_INTEGER = /^u?int([1-9]\d{0,2})$/;

/** Returns the selector of a function signature: the first four bytes of its keccak256, as `0x` hex. */
export function selectorOf(signature: string): string {
  return `0x${Buffer.from(keccak256(Buffer.from(signature)).subarray(0, 4)).toString("hex")}`;
}

/** Returns the rule of canonical function signatures that a text breaks; null if the text is valid. */
export function faultOf(text: string): string | null {
  const types = FORM.exec(text)?.[1];
  if (types === undefined)
    return "must be a name and parameter types in parentheses, such as transfer(address,uint256)";
  const wrong = wrongType(types);
  return wrong === null
    ? null
    : `must have full ABI types, such as uint256, without spaces: ${quoted(wrong)} is not one`;
}

/** Returns the first invalid type of a list; null if all are valid. */
function wrongType(list: string): string | null {
  for (const type of partsOf(list)) {
    const single = type.replace(ARRAYS, "");
    const tuple = /^\((.+)\)$/.exec(single)?.[1];
    const wrong = tuple === undefined ? (isType(single) ? null : type) : wrongType(tuple);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** Splits a list at the commas outside of parentheses. */
function partsOf(list: string): string[] {
  if (list === "") return [];
  const parts = [""];
  let depth = 0;
  for (const letter of list) {
    if (letter === "(") depth++;
    if (letter === ")") depth--;
    if (letter === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts;
}

function isType(text: string): boolean {
  const bits = Number(SIZED_INTEGER.exec(text)?.[1]);
  return PLAIN.test(text) || SIZED_BYTES.test(text) || (bits % 8 === 0 && bits <= 256);
}
