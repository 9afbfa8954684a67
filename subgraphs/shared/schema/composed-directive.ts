import type { GraphQLDirective } from "graphql";

/** A directive that stays in the supergraph, and the URL of its specification, which ends in its version (`https://…/name/v1.0`). */
export interface ComposedDirective {
  readonly directive: GraphQLDirective;
  readonly specUrl: string;
}
