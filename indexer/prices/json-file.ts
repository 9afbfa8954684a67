import { positionText } from "../../core/config/settings/parse-json.ts";
import { messageOf, quoted } from "../../core/errors/errors.ts";
import { isJsonText, isObject, parseJsonTexts } from "../shared/number-text.ts";
import { FIELDS, HEADER, parseField } from "./fields.ts";
import { type PriceRow, PriceSourceFailed } from "./source.ts";
import { readText } from "./text-file.ts";

/** JSON is parsed as a whole, which takes many times its size in memory. */
const MAX_CHARACTERS = 1 << 25;

/** Fields that may also be JSON numbers. */
const NUMBERS: ReadonlySet<string> = new Set(["timestamp", "value"]);

/** The prices of a JSON file, which must be an array of objects. Throws `PriceSourceFailed` that names the first wrong item. */
export async function* readJson(path: string): AsyncGenerator<PriceRow> {
  let json = "";
  for await (const text of readText(path)) {
    json += text;
    if (json.length > MAX_CHARACTERS)
      throw new PriceSourceFailed(
        `${path} must have at most ${MAX_CHARACTERS} characters, because it is JSON; a CSV file may have any size`,
      );
  }
  for (const [at, item] of parseArray(json).entries()) yield parseItem(json, item, at);
}

function parseArray(json: string): readonly unknown[] {
  let parsed: unknown;
  try {
    parsed = parseJsonTexts(json);
  } catch (error) {
    throw new PriceSourceFailed(`the file must be JSON: ${messageOf(error)}`);
  }
  if (!Array.isArray(parsed)) throw new PriceSourceFailed("the file must be an array of objects");
  return parsed;
}

function parseItem(json: string, item: unknown, at: number): PriceRow {
  const refused = (why: string) => new PriceSourceFailed(`item ${at + 1}: ${why}`);
  if (!isObject(item)) throw refused("must be an object");
  const unknown = Object.keys(item).find((key) => !FIELDS.some(({ name }) => name === key));
  if (unknown !== undefined) throw refused(`must have only the fields ${HEADER}, got also ${quoted(unknown)}`);
  const values = FIELDS.map((field) => {
    const found = item[field.name];
    if (!isJsonText(found) || (found.isNumber && !NUMBERS.has(field.name)))
      throw refused(`${field.name} must be a string${NUMBERS.has(field.name) ? " or a number" : ""}`);
    const refusedAt = (why: string) => refused(`${positionText(json, found.offset)}: ${why}`);
    return [field.name, parseField(field, found.text, refusedAt)];
  });
  return Object.fromEntries(values) as PriceRow;
}
