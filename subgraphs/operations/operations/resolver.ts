import { Arg, Args, Ctx, Mutation, Query, Resolver, Root, Subscription } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
import type { OperationsContext } from "../context.ts";
import { ExportFileOptions, TransactionExportRequest } from "../requests/types.ts";
import type { Update } from "../watching/update-iterator.ts";
import {
  CancelOperationArgs,
  Operation,
  OperationArgs,
  OperationConnection,
  OperationsArgs,
  WatchedOperationsArgs,
} from "./types.ts";

const WITHOUT_TOKENS =
  "Operations that were started without an API key are listed only with their cancelTokens, which their starts returned.";

@Resolver(() => Operation)
export class OperationResolver {
  @Query(() => Operation, {
    nullable: true,
    description:
      "Get an operation; null if it does not exist, was deleted, or was started with an API key that is not the caller's.",
  })
  operation(
    @Args(() => OperationArgs) { operationId }: OperationArgs,
    @Ctx() { load }: OperationsContext,
  ): Promise<Operation | null> {
    return load.operation({ operationId });
  }

  @Query(() => OperationConnection, {
    description:
      "List the operations of the caller's API key, newest first. A caller without a key gets the operations whose `cancelTokens` it gives; without tokens the list is empty, and `message` says so. If API keys are configured, a request without a key and without tokens fails with `UNAUTHENTICATED`.",
  })
  async operations(
    @Args(() => OperationsArgs) args: OperationsArgs,
    @Ctx() { operations, caller, work }: OperationsContext,
  ): Promise<OperationConnection> {
    const listed = caller.listed(args.cancelTokens);
    const isWithoutTokens = "tokenHashes" in listed && listed.tokenHashes.size === 0;
    return (await operations.page(listed, args, work)).with({ message: isWithoutTokens ? WITHOUT_TOKENS : null });
  }

  @Mutation(() => Operation, {
    description:
      "Start an export of transactions. Returns the running operation if the caller has one with the same request, or the operation that was started with the same `idempotencyKey`. Fails with `RATE_LIMITED` if too many operations run.",
  })
  async startTransactionExport(
    @Arg("request", () => TransactionExportRequest, { description: "What to export." })
    request: TransactionExportRequest,
    @Arg("idempotencyKey", () => String, {
      nullable: true,
      description:
        "1 to 255 printable ASCII characters, chosen by the caller. Until the operation is deleted, another start with the same key and the same request returns the same operation, even if it has ended. A start with the same key and another request fails with `INVALID_PARAMETER`.",
    })
    idempotencyKey: string | null | undefined,
    @Arg("file", () => ExportFileOptions, {
      nullable: true,
      description: "Form of the file. It is part of the request: two requests with different forms are different.",
    })
    file: ExportFileOptions | null | undefined,
    @Ctx() { requests, jobs, caller, work }: OperationsContext,
  ): Promise<Operation> {
    return jobs.start(caller.owner, await requests.parse(request, file), idempotencyKey ?? null, work);
  }

  @Mutation(() => Operation, {
    description:
      "Cancel an operation, which then ends as `FAILED` within a second. An operation that has ended is returned unchanged. Fails with `NOT_FOUND` for an unknown operation and for an operation of another API key, and with `FORBIDDEN` for an operation that was started without a key, unless `cancelToken` is given.",
  })
  cancelOperation(
    @Args(() => CancelOperationArgs) { operationId, cancelToken = null }: CancelOperationArgs,
    @Ctx() { jobs, caller, work }: OperationsContext,
  ): Promise<Operation> {
    return jobs.cancel({ owner: caller.owner, cancelToken }, operationId, work);
  }

  @Subscription(() => Operation, {
    description:
      "The present state of an operation, then its changes, at most four a second. Every change of its status is sent. Completes after the operation has ended. Fails with `NOT_FOUND` for an unknown operation and for an operation of another API key.",
    subscribe: ({ args, context }) => context.watching.operation(context.caller.owner, args.operationId),
  })
  operationUpdated(@Root() update: Update, @Args(() => OperationArgs) _args: OperationArgs): Operation {
    return operationIn(update);
  }

  @Subscription(() => Operation, {
    description:
      "The present state of all running operations of the caller's API key, then the changes of all its operations, each at most four times a second. Every change of a status is sent. Does not complete. A caller without a key gets the operations whose `cancelTokens` it gives, and fails with `UNAUTHENTICATED` without tokens.",
    subscribe: ({ args, context }) => context.watching.operationsOf(context.caller.listed(args.cancelTokens)),
  })
  operationsUpdated(
    @Root() update: Update,
    @Args(() => WatchedOperationsArgs) _args: WatchedOperationsArgs,
  ): Operation {
    return operationIn(update);
  }
}

function operationIn(update: Update): Operation {
  if (update instanceof Failure) throw update;
  return update;
}

/** Resolves an operation by its federation key; null if the caller may not read it. */
export function resolveOperationReference(
  { operationId }: { readonly operationId: unknown },
  { load }: OperationsContext,
): Promise<Operation | null> {
  return load.operation({ operationId: String(operationId) });
}
