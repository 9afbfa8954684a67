import type { Api } from "./api.ts";

/** `MUST`: the documents require it. `CHOICE`: the documents leave it open, and `docs/behaviour/` describes the choice. */
export type Level = "MUST" | "CHOICE";

/** A route with a request that it answers with 200. */
export interface AnyRoute {
  readonly id: string;
  readonly path: string;
  /** The required parameters, without the question mark. */
  readonly query?: string;
  /** The JSON body of a POST route. Other routes are GET routes. */
  readonly body?: string;
  /** Converts a response of the hosted dialect to the form in the REST specification, if they differ. */
  readonly unhosted?: (text: string) => string;
  /** True for a route of the metrics base, which ignores API keys. */
  readonly isKeyless?: true;
  /** True for a route that only the hosted dialect has. `path` begins with its prefix. */
  readonly isHostedOnly?: true;
  /** A query parameter, with a valid and an invalid value. */
  readonly parameter?: { readonly name: string; readonly good: string; readonly bad: string };
  /** Compute units of a request. */
  readonly units: number;
  /** Maximum number of statements that a request runs, for any page size. */
  readonly statements: number;
}

export interface Rule {
  /**
   * Number of the endpoint in the REST specification, a dot, and a name within the endpoint. Rules of every path begin with
   * `ALL.`.
   */
  readonly id: string;
  readonly level: Level;
  /** The rule as a sentence. */
  readonly title: string;
  /** A request that the route answers with 200. One rule of each route has it. */
  readonly route?: AnyRoute;
  /** Rejects when the stack breaks the rule. */
  check(api: Api): Promise<void>;
}

export function rule(id: string, level: Level, title: string, check: (api: Api) => Promise<void>): Rule {
  return { id, level, title, check };
}
