import type { Api } from "./api.ts";

/** `MUST`: the documents require it. `CHOICE`: the documents leave it open, and `docs/behaviour/` describes the choice. */
export type Level = "MUST" | "CHOICE";

export interface Rule {
  /**
   * Number of the endpoint in the REST specification, a dot, and a name within the endpoint. Rules of every path begin with
   * `ALL.`.
   */
  readonly id: string;
  readonly level: Level;
  /** The rule as a sentence. */
  readonly title: string;
  /** Rejects when the stack breaks the rule. */
  check(api: Api): Promise<void>;
}

export function rule(id: string, level: Level, title: string, check: (api: Api) => Promise<void>): Rule {
  return { id, level, title, check };
}
