import { goQuoted, upperOf } from "./json/go-text.ts";

/** A method, or a node's error message for a name that it does not know. */
export type Found<Method> = { readonly method: Method } | { readonly refusal: string };

/** Finds a method by the name that a caller sent. The keys of `methods` are names as `goName` returns them. */
export function findMethod<Method>(methods: ReadonlyMap<string, Method>, sent: string): Found<Method> {
  const name = goName(sent);
  if (name === null) return { refusal: "method must start with a non-uppercase letter" };
  const [service = "", , ...more] = name.split(".");
  if (more.length > 0 || !name.includes("."))
    return { refusal: `rpc: service/method request ill-formed: ${goQuoted(name)}` };
  const method = methods.get(name);
  if (method) return { method };
  const isService = [...methods.keys()].some((known) => known.startsWith(`${service}.`));
  return { refusal: `rpc: can't find ${isService ? "method" : "service"} ${goQuoted(name)}` };
}

/** The Go name of a method: `info.GetNetworkID` for `info.getNetworkID`. Null if the letter after the dot is upper case already. */
export function goName(sent: string): string | null {
  const dot = sent.indexOf(".");
  const [letter] = sent.slice(dot + 1);
  if (dot < 0 || letter === undefined || letter === "\ufffd") return sent;
  if (/\p{Lu}/u.test(letter)) return null;
  return sent.slice(0, dot + 1) + upperOf(letter) + sent.slice(dot + 1 + letter.length);
}
