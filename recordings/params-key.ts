import { isObject } from "../core/formats/json.ts";

/**
 * A key that is the same for all equivalent spellings of parameters: `{…}` or `[{…}]`, numbers or strings, any order and case
 * of members, null or absent, `hex` or `hexc` for the default encoding, hex in any case.
 */
export function paramsKey(params: unknown): string {
  const alone = Array.isArray(params) && params.length === 1 && isObject(params[0]) ? params[0] : params;
  const key = valueKey(alone ?? null);
  return key === "{}" || key === "null" ? "[]" : key;
}

function valueKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueKey).join()}]`;
  if (isObject(value)) return objectKey(value);
  if (typeof value === "string" && /^0x/i.test(value)) return value.toLowerCase();
  return String(value);
}

function objectKey(value: Record<string, unknown>): string {
  const members = Object.entries(value)
    .map(([name, member]) => [name.toLowerCase(), member] as const)
    .filter(([name, member]) => member !== null && member !== undefined && !isDefaultEncoding(name, member))
    .map(([name, member]) => `${name}:${valueKey(member)}`);
  return `{${members.sort().join()}}`;
}

function isDefaultEncoding(name: string, value: unknown): boolean {
  return name === "encoding" && (value === "" || value === "hex" || value === "hexc");
}
