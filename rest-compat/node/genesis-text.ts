import { randomUUID } from "node:crypto";
import { isObject } from "../../core/formats/json.ts";

/** Members of a genesis that are numbers, beside those of `config`. */
const NUMBERS = ["airdropAmount", "baseFeePerGas"];
/** The only member of `config` outside of lists that is a text. */
const TEXT = "eip150Hash";
const DIGITS = /^\d{16,}$/;

/** The JSON of `genesisData` in REST: integers that the graph has as decimal text are numbers with all their digits. */
export function genesisText(genesis: unknown): string {
  if (!isObject(genesis)) return JSON.stringify(genesis);
  const mark = randomUUID(); // no string of the genesis begins with it
  const marked = (value: unknown) => (typeof value === "string" && DIGITS.test(value) ? mark + value : value);
  const numbers = NUMBERS.filter((name) => name in genesis).map((name) => [name, marked(genesis[name])]);
  const config = isObject(genesis["config"]) ? { config: withNumbers(genesis["config"], marked) } : {};
  const text = JSON.stringify({ ...genesis, ...Object.fromEntries(numbers), ...config });
  return text.replaceAll(new RegExp(`"${mark}(\\d+)"`, "g"), "$1");
}

function withNumbers(config: object, marked: (value: unknown) => unknown): object {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      if (name === TEXT) return [name, value];
      return [name, isObject(value) ? withNumbers(value, marked) : marked(value)];
    }),
  );
}
