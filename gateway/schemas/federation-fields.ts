import { type DefinitionNode, type DocumentNode, Kind, parse } from "graphql";
import type { Entities } from "./entities.ts";

/** The root field of the SDL that registries and other gateways read. */
export const SERVICE_FIELD = "_service";
/** The root field by which other gateways read entities. */
export const ENTITIES_FIELD = "_entities";

/** Adds the root fields of a subgraph to the schema of callers: `_service` if the schema is published, and `_entities` if there are any. */
export function withFederationFields(
  document: DocumentNode,
  entities: Entities,
  { hasService }: { readonly hasService: boolean },
): DocumentNode {
  const service = hasService ? `type _Service { sdl: String } extend type Query { ${SERVICE_FIELD}: _Service! }` : "";
  const union = [...entities.keys()].join(" | ");
  const all = union
    ? `scalar _Any union _Entity = ${union} extend type Query { ${ENTITIES_FIELD}(representations: [_Any!]!): [_Entity]! }`
    : "";
  if (!service && !all) return document;
  const added = parse(`${service} ${all}`, { noLocation: true }).definitions;
  const fields = added.flatMap((node) => (node.kind === Kind.OBJECT_TYPE_EXTENSION ? (node.fields ?? []) : []));
  const definitions = document.definitions.map((node): DefinitionNode => {
    const isQuery = node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === "Query";
    return isQuery ? { ...node, fields: [...(node.fields ?? []), ...fields] } : node;
  });
  const types = added.filter((node) => node.kind !== Kind.OBJECT_TYPE_EXTENSION);
  return { ...document, definitions: [...definitions, ...types] };
}
