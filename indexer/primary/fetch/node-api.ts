import { BadUpstreamData, quoted } from "../../../core/errors/errors.ts";
import { isMissingMethod, NodeUnavailable, nullFromNode, RpcError, refusedByNode } from "../../shared/node/errors.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";

/** Calls a method and returns one member of its result. Throws `NodeUnavailable` also if the node answers with an error or with null. */
export async function askForMember(node: NodeClient, method: string, params: object, member: string): Promise<unknown> {
  try {
    const result = await node.call(method, [params]);
    if (result === null) throw nullFromNode(method);
    return memberOf(result, member);
  } catch (error) {
    throw error instanceof RpcError ? refusedByNode(method, error) : error;
  }
}

/** Resolves with null if the node does not serve the API (HTTP 404). */
export async function nullIfApiIsOff<Value>(answer: Promise<Value>): Promise<Value | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NodeUnavailable && error.isMissing) return null;
    throw error;
  }
}

/**
 * Calls a method without parameters and parses its result; null if the node does not have the method. Throws `NodeUnavailable`
 * for any other error of the node, and `BadUpstreamData` if the result cannot be parsed.
 */
export async function nullIfMethodIsMissing<Value>(
  node: NodeClient,
  method: string,
  parse: (result: unknown) => Value,
): Promise<Value | null> {
  let result: unknown;
  try {
    result = await node.call(method, [{}]);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (isMissingMethod(error)) return null;
    throw refusedByNode(method, error);
  }
  try {
    return parse(result);
  } catch {
    throw new BadUpstreamData(`the node's answer to ${method} has an unknown form`, quoted(result));
  }
}

export function memberOf(result: unknown, name: string): unknown {
  return (result as Readonly<Record<string, unknown>> | null)?.[name];
}
