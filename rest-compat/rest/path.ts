import { decodePart } from "./query.ts";

export interface Match<Resource> {
  readonly resource: Resource;
  /** Values of the path's parameters in its order, decoded. */
  readonly values: readonly string[];
}

/** Finds what a path names; null when nothing has it. Throws `INVALID_PARAMETER` for malformed percent-encoding. */
export type Router<Resource> = (path: string) => Match<Resource> | null;

interface Node<Resource> {
  readonly literals: Map<string, Node<Resource>>;
  parameter: Node<Resource> | null;
  resource: Resource | null;
}

/**
 * Compiles templates such as `/v1/chains/{chainId}`. Slashes at the end and doubled ones do not matter, an encoded slash
 * belongs to the value, case counts, and a literal segment goes before a parameter.
 */
export function createRouter<Resource>(resources: Iterable<readonly [template: string, Resource]>): Router<Resource> {
  const root = createNode<Resource>();
  for (const [template, resource] of resources) nodeAt(root, template).resource = resource;
  return (path) => {
    const segments = segmentsOf(path).map(decodePart);
    return find(root, segments, 0, []);
  };
}

/** Names of a template's parameters, in its order. */
export function parameterNames(template: string): string[] {
  return segmentsOf(template).filter(isParameter).map(nameOf);
}

function createNode<Resource>(): Node<Resource> {
  return { literals: new Map(), parameter: null, resource: null };
}

function nodeAt<Resource>(root: Node<Resource>, template: string): Node<Resource> {
  let node = root;
  for (const segment of segmentsOf(template)) {
    const next = isParameter(segment) ? node.parameter : node.literals.get(segment);
    const child = next ?? createNode<Resource>();
    if (isParameter(segment)) node.parameter = child;
    else node.literals.set(segment, child);
    node = child;
  }
  return node;
}

function find<Resource>(
  node: Node<Resource>,
  segments: readonly string[],
  at: number,
  values: readonly string[],
): Match<Resource> | null {
  const segment = segments[at];
  if (segment === undefined) return node.resource && { resource: node.resource, values };
  const literal = node.literals.get(segment);
  const found = literal ? find(literal, segments, at + 1, values) : null;
  return found ?? (node.parameter && find(node.parameter, segments, at + 1, [...values, segment]));
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

function nameOf(segment: string): string {
  return segment.slice(1, -1);
}
