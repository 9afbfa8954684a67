import { BadUpstreamData, errorCode, messageOf } from "../../core/errors/errors.ts";
import { createRedaction } from "../../core/errors/redaction.ts";
import { hintForCode, PATH_HINT } from "../../core/networks/http-hints.ts";
import type { ConfiguredNode } from "../../core/networks/nodes.ts";
import { type AskedNode, askNode } from "./node/ask-node.ts";
import { isMissingMethod, RpcError } from "./node/errors.ts";

/** What a comparison of the settings with the nodes has found. */
export interface SettingsFindings {
  /** A setting that contradicts its node: one line with the setting, the value, the node's answer and the remedy. */
  error(line: string): void;
  /** A setting that could not be checked: one line with the setting and the reason. */
  unchecked(line: string): void;
}

/** A node that is compared with the entry of the settings at the path `setting`. */
export interface CheckedNode {
  readonly node: ConfiguredNode;
  readonly setting: string;
  readonly findings: SettingsFindings;
}

/** What to ask a node, the setting that `node` comes from, and where to report a missing answer. */
export interface NodeQuestion {
  readonly node: AskedNode;
  readonly setting: string;
  readonly method: string;
  readonly params: unknown;
  readonly findings: SettingsFindings;
}

/** What avalanchego's RPC server answers to a method without a service name. */
const ILL_FORMED = /^rpc: service\/method request ill-formed/;

/**
 * Returns the node's answer as `read` reads it. If the server does not know the method, reports an error and returns null. If the
 * node cannot be reached or does not answer as expected, reports that as unchecked and returns null.
 */
export async function answerOf<Answer>(
  { node, setting, method, params, findings }: NodeQuestion,
  read: (result: unknown) => Answer,
): Promise<Answer | null> {
  try {
    return read(await askNode(node, method, params));
  } catch (error) {
    const host = new URL(node.url).host;
    if (error instanceof RpcError && (isMissingMethod(error) || ILL_FORMED.test(error.message)))
      findings.error(
        `setting ${setting} is wrong: the server at ${host} does not know ${method} at that path${PATH_HINT}`,
      );
    else findings.unchecked(`setting ${setting}: ${host} did not answer ${method} (${reasonOf(error, node)})`);
    return null;
  }
}

/** The code and the remedy of a mistake of TLS, whose message is long and of OpenSSL; otherwise the message. */
function reasonOf(error: unknown, node: AskedNode): string {
  const code = errorCode(error);
  const hint = hintForCode(code);
  return hint ? `${code}${hint}` : createRedaction(node)(messageOf(error));
}

/** A string in a node's answer. Throws `BadUpstreamData` if it is missing. */
export function textAt(result: unknown, key: string): string {
  const value: unknown = Object(result)[key];
  if (typeof value === "string") return value;
  throw new BadUpstreamData(`the answer has no ${key}`);
}
