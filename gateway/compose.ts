import { composeServices } from "@theguild/federation-composition";
import { type DocumentNode, Kind, parse, print, type StringValueNode, visit } from "graphql";
import { messageOf } from "../core/errors/errors.ts";
import { withoutInterfaceFragments } from "./composition/interface-fragments.ts";
import { withJoinFields } from "./composition/join-fields.ts";

/** A subgraph of the supergraph. Only registries and other gateways use its `url`. */
export interface ComposedSubgraph {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}

/** Composes the supergraph SDL. Throws an error with all reasons if the subgraphs do not compose. */
export function composeSupergraph(subgraphs: readonly ComposedSubgraph[]): string {
  const services = subgraphs.map(({ name, url, sdl }) => ({
    name,
    url,
    typeDefs: withoutInterfaceFragments(documentOf(name, sdl)),
  }));
  const { supergraphSdl, supergraphDocumentNode: composed, errors = [] } = composeServices(services);
  if (supergraphSdl) {
    const corrected = withJoinFields(composed, services);
    return `${(corrected === composed ? supergraphSdl : print(corrected)).trim()}\n`;
  }
  throw new Error(`the subgraphs do not compose: ${errors.map(({ message }) => message).join("; ")}`);
}

function documentOf(name: string, sdl: string): DocumentNode {
  try {
    return parse(sdl);
  } catch (error) {
    throw new Error(`the SDL of the subgraph ${name} cannot be parsed: ${messageOf(error)}`);
  }
}

/** Types, and what belongs to them. */
interface Described {
  readonly kind: string;
  readonly name?: { readonly value: string };
  readonly description?: StringValueNode | undefined;
}

const isPart = (kind: string): boolean => /(Definition|TypeExtension)$/.test(kind);

/**
 * Throws an error if Moraine's own subgraphs describe the same type, field or argument with different texts: callers would see one of them.
 */
export function requireOneDescription(subgraphs: readonly Pick<ComposedSubgraph, "sdl">[]): void {
  const documents: DocumentNode[] = subgraphs.map(({ sdl }) => parse(sdl));
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
