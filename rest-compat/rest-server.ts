import type { ServerOptions } from "../core/server.ts";
import type { NodeInterface } from "./node/interface.ts";
import { answerClientError } from "./rest/malformed-request.ts";

/** What a server does that has a node's paths before those of another handler. */
export function nodePathsFirst(
  nodePaths: NodeInterface,
  handler: ServerOptions["handler"],
): Pick<ServerOptions, "handler" | "clientError" | "takesAny"> {
  return {
    handler(request, response) {
      if (nodePaths.isNodePath(request.url)) nodePaths.handle(request, response);
      else handler(request, response);
    },
    clientError(error, socket) {
      if (!nodePaths.clientError(error, socket)) answerClientError(error, socket);
    },
    takesAny: ({ url }) => nodePaths.isNodePath(url),
  };
}
