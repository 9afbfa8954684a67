import { type ConstDirectiveNode, type DirectiveNode, Kind, parse, valueFromASTUntyped } from "graphql";

/** A definition that may have directives. */
export interface Directed {
  readonly directives?: readonly DirectiveNode[] | undefined;
}

/** The arguments of each application of a directive. Enum values are texts. */
export function argumentsOf({ directives = [] }: Directed, name: string): Readonly<Record<string, unknown>>[] {
  return directives
    .filter((directive) => directive.name.value === name)
    .map(({ arguments: given = [] }) =>
      Object.fromEntries(given.map((argument) => [argument.name.value, valueFromASTUntyped(argument.value)])),
    );
}

/** Parses applications of directives. */
export function parseDirectives(text: string): readonly ConstDirectiveNode[] {
  const [scalar] = parse(`scalar Any ${text}`, { noLocation: true }).definitions;
  if (scalar?.kind !== Kind.SCALAR_TYPE_DEFINITION) throw new Error(`not a list of directives: ${text}`);
  return scalar.directives ?? [];
}
