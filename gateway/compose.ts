import { composeServices } from "@theguild/federation-composition";
import { type DocumentNode, Kind, parse, type StringValueNode, visit } from "graphql";

/** A subgraph of the supergraph. Only registries and other gateways use its `url`. */
export interface ComposedSubgraph {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}

/**
 * Composes the supergraph SDL. Throws an error with all reasons if the subgraphs do not compose, or if they describe the same type, field or
 * argument with different texts: callers would see one of them.
 */
export function composeSupergraph(subgraphs: readonly ComposedSubgraph[]): string {
  const services = subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) }));
  requireOneDescription(services.map(({ typeDefs }) => typeDefs));
  const result = composeServices(services);
  if (result.supergraphSdl) return `${result.supergraphSdl.trim()}\n`;
  throw new Error(`the subgraphs do not compose: ${(result.errors ?? []).map((error) => error.message).join("; ")}`);
}

/** Types, and what belongs to them. */
interface Described {
  readonly kind: string;
  readonly name?: { readonly value: string };
  readonly description?: StringValueNode | undefined;
}

const isPart = (kind: string): boolean => /(Definition|TypeExtension)$/.test(kind);

function requireOneDescription(documents: readonly DocumentNode[]): void {
  const known = new Map<string, string>();
  const path: string[] = [];
  const different: string[] = [];
  const enter = ({ kind, name, description }: Described): false | undefined => {
    if (kind === Kind.DIRECTIVE_DEFINITION) return false;
    if (!isPart(kind) || !name) return undefined;
    path.push(name.value);
    const text = description?.value;
    if (text === undefined) return undefined;
    const key = path.join(".");
    if (!/^(Query|Mutation|Subscription)$/.test(key) && text !== (known.get(key) ?? text)) different.push(key);
    known.set(key, text);
    return undefined;
  };
  const leave = ({ kind, name }: Described): void => {
    if (isPart(kind) && name) path.pop();
  };
  for (const document of documents) visit(document, { enter, leave });
  if (different.length === 0) return;
  throw new Error(`the subgraphs do not compose: they describe ${different.join(", ")} with different texts`);
}
