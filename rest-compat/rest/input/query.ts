import { decodePart } from "../path.ts";

/** Calls `visit` with each decoded name and value of a query, in order. A plus sign stands for a space. */
export function eachPair(query: string, visit: (name: string, value: string) => void): void {
  for (const pair of query.split("&")) {
    const end = pair.indexOf("=");
    if (end < 0) visit(decodeForm(pair), "");
    else visit(decodeForm(pair.slice(0, end)), decodeForm(pair.slice(end + 1)));
  }
}

function decodeForm(text: string): string {
  return decodePart(text.includes("+") ? text.replaceAll("+", " ") : text);
}
