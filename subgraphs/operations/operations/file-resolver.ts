import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { OperationsContext } from "../context.ts";
import { ExportedFile, OperationMetadata } from "./types.ts";

const LIFETIME =
  "Until the URL expires, it can be used without an API key. Each read of the operation returns a new URL.";

@Resolver(() => ExportedFile)
export class ExportedFileResolver {
  @FieldResolver(() => String, { description: `URL from which the file can be downloaded. ${LIFETIME}` })
  downloadUrl(@Root() file: ExportedFile, @Ctx() { links }: OperationsContext): Promise<string> {
    return links.urlOf(file);
  }
}

@Resolver(() => OperationMetadata)
export class OperationMetadataResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: `URL from which the file can be downloaded; null if there is no file. ${LIFETIME}`,
  })
  async downloadUrl(
    @Root() { operationId, fileName }: OperationMetadata,
    @Ctx() { links }: OperationsContext,
  ): Promise<string | null> {
    return fileName === null ? null : links.urlOf({ operationId, fileName });
  }
}
