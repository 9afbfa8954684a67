import { byBytes, goJson } from "./json/go-text.ts";

/**
 * How a node writes a value of the graph:
 * `plain` as JSON, `text` as a JSON string of any value, `digits` as a JSON number of any size.
 */
export type Shape =
  | "plain"
  | "text"
  | "digits"
  | { readonly members: readonly Member[] }
  /** The value of one field, in place of the object. */
  | { readonly field: string }
  | { readonly list: Shape }
  /** A list as an object whose member names are the values of the items' field `key`, sorted like the keys of a Go map. */
  | { readonly map: Shape; readonly key: string }
  /** The number of items of a list, as a JSON string. */
  | { readonly count: true };

/**
 * The name of a member, the field of its value, and its shape. A member without a value is omitted. The members of a member
 * named `...` are written in its place.
 */
export type Member = readonly [name: string, field: string, shape: Shape];

type Item = Readonly<Record<string, unknown>>;

/** The JSON of a value in a shape, as Go's encoder writes it. */
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
