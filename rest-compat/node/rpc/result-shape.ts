import { byBytes, goJson } from "./json/go-text.ts";

/**
 * How a node writes a value that the graph gives:
 * `plain` as the JSON that it is, `text` as a JSON text whatever it is, `digits` as a JSON number of any size.
 */
export type Shape =
  | "plain"
  | "text"
  | "digits"
  | { readonly members: readonly Member[] }
  /** What a field of the object has, in place of the object. */
  | { readonly field: string }
  | { readonly list: Shape }
  /** A list as an object, by the value of the field `key` of its items, in the order of Go's maps. */
  | { readonly map: Shape; readonly key: string }
  /** How many items a list has, as text. */
  | { readonly count: true };

/**
 * A member's name, the field that has its value, its shape. One without a value is left out. A member called `...` is an
 * object whose own members take its place.
 */
export type Member = readonly [name: string, field: string, shape: Shape];

type Item = Readonly<Record<string, unknown>>;

/** JSON of a value in a shape, in the words of Go's encoder. */
export function write(shape: Shape, value: unknown): string {
  if (shape === "plain") return goJson(value);
  if (shape === "text") return goJson(String(value));
  if (shape === "digits") return String(value);
  if ("members" in shape) return objectOf(shape.members.flatMap((member) => memberOf(member, value as Item)));
  if ("field" in shape) return goJson((value as Item)[shape.field]);
  const items = value as readonly Item[];
  if ("count" in shape) return goJson(String(items.length));
  if ("list" in shape) return `[${items.map((item) => write(shape.list, item)).join(",")}]`;
  const { key, map } = shape;
  const entries = items.map((item) => ({ name: String(item[key]), text: write(map, item) }));
  return objectOf(
    entries.sort((one, other) => byBytes(one.name, other.name)).map(({ name, text }) => pair(name, text)),
  );
}

function memberOf([name, field, shape]: Member, item: Item): string[] {
  const value = item[field];
  if (value === null || value === undefined) return [];
  if (name !== "...") return [pair(name, write(shape, value))];
  return Object.entries(value as Item).map(([own, member]) => pair(own, goJson(member)));
}

function pair(name: string, text: string): string {
  return `${goJson(name)}:${text}`;
}

function objectOf(pairs: readonly string[]): string {
  return `{${pairs.join(",")}}`;
}
