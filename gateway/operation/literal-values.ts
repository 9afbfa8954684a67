import { GraphQLError, type GraphQLScalarType, getNamedType, type ValidationRule, type ValueNode } from "graphql";
import { Failure } from "../../core/errors/errors.ts";
import { Address, Hash, Percentage, Quantity, Timestamp } from "../../core/graph/scalars.ts";

/** The gateway's own schema has these scalars only by name. */
const SCALARS = new Map<string, GraphQLScalarType>(
  [Address, Hash, Percentage, Quantity, Timestamp].map((scalar) => [scalar.name, scalar]),
);

/**
 * Refuses literals that break the rule of their scalar, with the name of the argument. Without this step, a subgraph would refuse them,
 * and its error has only the rule and the value.
 */
export const literalValues: ValidationRule = (context) => {
  const check = (node: ValueNode): void => {
    const type = getNamedType(context.getInputType());
    const argument = context.getArgument();
    const scalar = type && SCALARS.get(type.name);
    if (!scalar || !argument) return;
    try {
      scalar.parseLiteral(node);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { code, message } = error;
      context.reportError(new GraphQLError(`${argument.name} ${message}`, { nodes: node, extensions: { code } }));
    }
  };
  return { IntValue: check, FloatValue: check, StringValue: check };
};
