import {
  DirectiveLocation,
  type FieldDefinitionNode,
  GraphQLDirective,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLSchema,
  Kind,
  type TypeDefinitionNode,
} from "graphql";
import type { ComposedDirective } from "./composed-directive.ts";

/**
 * Says that a nullable field is null only if it has failed, so that clients can generate types without null
 * (https://specs.apollo.dev/nullability/v0.4). `levels` are those of lists: 0 is the field itself, 1 are the items of its list.
 */
export const SEMANTIC_NON_NULL: ComposedDirective = {
  directive: new GraphQLDirective({
    name: "semanticNonNull",
    description:
      "The field is null only if it has failed. `levels` are those of lists: 0 is the field itself, 1 are the items of its list.",
    locations: [DirectiveLocation.FIELD_DEFINITION],
    args: {
      levels: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLInt))), defaultValue: [0] },
    },
  }),
  specUrl: "https://specs.apollo.dev/nullability/v0.4",
};

const ROOT_TYPES: ReadonlySet<string> = new Set(["Query", "Mutation", "Subscription"]);

/**
 * The definition of a root type with nullable fields: the failure of one field of an operation must not make the answers of the others null. A
 * field that was not nullable is null only if it has failed. Other types stay as they are.
 */
export function withNullableRoots(node: TypeDefinitionNode): TypeDefinitionNode {
  if (node.kind !== Kind.OBJECT_TYPE_DEFINITION || !ROOT_TYPES.has(node.name.value)) return node;
  return { ...node, fields: (node.fields ?? []).map(withNullableType) };
}

/**
 * Makes the fields that `withNullableRoots` has made nullable fail if they resolve to null: their null means failure, so it must have an error. Call
 * this function once, before the schema is used.
 */
export function refuseNullRoots(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve, astNode } = field;
      if (!resolve || !astNode?.directives?.some(({ name }) => name.value === SEMANTIC_NON_NULL.directive.name))
        continue;
      const required = (value: unknown): unknown => {
        if (value !== null && value !== undefined) return value;
        throw new Error(`Cannot return null for the field ${type?.name}.${field.name}.`);
      };
      field.resolve = (...args) => {
        const value: unknown = resolve(...args);
        return value instanceof Promise ? value.then(required) : required(value);
      };
    }
}

function withNullableType(field: FieldDefinitionNode): FieldDefinitionNode {
  const { type, directives = [] } = field;
  if (type.kind !== Kind.NON_NULL_TYPE) return field;
  const name = { kind: Kind.NAME, value: SEMANTIC_NON_NULL.directive.name } as const;
  return { ...field, type: type.type, directives: [...directives, { kind: Kind.DIRECTIVE, name }] };
}
