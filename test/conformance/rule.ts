import type { Api } from "./api.ts";

/** `MUST`: the documents say so. `CHOICE`: they are silent, and `docs/behaviour/` describes the choice. */
export type Level = "MUST" | "CHOICE";

export interface Rule {
  /** Number of the route in the contract, a dot, and a name within it; `ALL.` for what holds of every path. */
  readonly id: string;
  readonly level: Level;
  /** The rule as a sentence. */
  readonly says: string;
  /** Rejects when the stack breaks the rule. */
  check(api: Api): Promise<void>;
}

export function rule(id: string, level: Level, says: string, check: (api: Api) => Promise<void>): Rule {
  return { id, level, says, check };
}
