import { hash } from "node:crypto";

/**
 * The source expression of a content security policy that allows the first inline element with this name, and no other content.
 * Throws if the page has no such element.
 */
export function inlineHash(page: string, element: "script" | "style"): string {
  const start = page.indexOf(`<${element}>`) + `<${element}>`.length;
  // The last end tag: a text inside of the script may contain an end tag that is escaped for HTML.
  const end = page.lastIndexOf(`</${element}>`);
  if (end < start) throw new Error(`the page has no inline ${element}`);
  return `'sha256-${hash("sha256", page.slice(start, end), "base64")}'`;
}
