import { buildFederatedSchema } from "../shared/federated-schema.ts";
import { ExportedFileResolver, OperationMetadataResolver } from "./operations/file-resolver.ts";
import { OperationRequestResolver } from "./operations/request-resolver.ts";
import { OperationResolver, resolveOperationReference } from "./operations/resolver.ts";

/** The executable schema of the operations subgraph, and its SDL. */
export const { schema, sdl, compileText } = buildFederatedSchema(
  [OperationResolver, OperationRequestResolver, ExportedFileResolver, OperationMetadataResolver],
  { Operation: resolveOperationReference },
);
