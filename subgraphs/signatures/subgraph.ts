import type { GraphQLSchema } from "graphql";
import type { CompileText } from "../../core/graph/answer-text.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { createSignatureService, type ServiceUrl } from "../../signatures/protocol/client.ts";
import { createContexts } from "../shared/request-context.ts";
import { createAggregations } from "./aggregations/aggregations.ts";
import type { SignaturesContext } from "./context.ts";
import { createLoaders } from "./loaders.ts";
import { compileText, schema } from "./schema.ts";

/** The signatures subgraph, for a gateway in the same process or a server of its own. Disposing it ends its aggregations. */
export interface SignaturesSubgraph extends AsyncDisposable {
  readonly name: "signatures";
  readonly schema: GraphQLSchema;
  /** Creates the context of one request. */
  context(request: RequestInfo): SignaturesContext;
  readonly compileText: CompileText;
}

export interface SignaturesSubgraphDeps {
  /** URL of the signature service. If it returns null, messages and aggregations fail with `UNAVAILABLE`. */
  readonly serviceUrl: ServiceUrl;
}

/** Opens no connection before the first request. */
export function createSubgraph({ serviceUrl }: SignaturesSubgraphDeps): SignaturesSubgraph {
  const service = createSignatureService({ url: serviceUrl });
  const aggregations = createAggregations(service);
  return {
    name: "signatures",
    schema,
    compileText,
    context: createContexts({ service, aggregations }, () => createLoaders({ service })),
    async [Symbol.asyncDispose]() {
      aggregations[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
