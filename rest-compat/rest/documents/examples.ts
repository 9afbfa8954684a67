import type { Dialect } from "../../routes.ts";
import { readSpecFile } from "./specification.ts";

/** Answers of the demo, in `spec/examples.json`. A test compares them with those of the present code. */
export interface Examples {
  /** Bodies of successful responses, by operation. The hosted dialect has one only where its body differs. */
  readonly rest: Readonly<Record<string, { readonly [Name in Dialect]?: unknown }>>;
  /** Results of JSON-RPC methods. */
  readonly rpc: Readonly<Record<string, unknown>>;
}

export function readExamples(): Examples {
  return readSpecFile("examples.json") as Examples;
}
