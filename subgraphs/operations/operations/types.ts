import { ArgsType, Directive, Field, Float, ID, InputType, ObjectType, registerEnumType } from "type-graphql";
import {
  Compression,
  type ExportRequest,
  type OperationCode as OperationCodeValue,
  OperationStatus,
  OperationType,
} from "../../../core/database/operations.ts";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";

registerEnumType(OperationStatus, {
  name: "OperationStatus",
  description: "Status of an operation. It changes once, from `RUNNING` to one of the others.",
  valuesConfig: {
    RUNNING: { description: "The operation waits for a worker, or a worker runs it." },
    COMPLETED: {
      description:
        "The file is ready and was not truncated. If rows are missing for another reason, for example because call trees are not indexed, `message` says so.",
    },
    COMPLETED_WITH_WARNING: {
      description: "The file is ready but does not have all rows; see `metadata.nextDate`.",
    },
    FAILED: { description: "The operation failed or was cancelled. There is no file." },
  },
});

const OperationCode = graphEnum<OperationCodeValue>({
  name: "OperationCode",
  description: "Reason of a failure, or a warning.",
  values: {
    ErrInvalidRequest: "Failed: the request cannot be fulfilled.",
    ErrInternal: "Failed because of an error of the service.",
    WarnTruncatedExport:
      "Completed, but the rows exceed the maximum of a file. Continue with `nextDate` as `firstDate`.",
  },
});

@ObjectType({ description: "Result of an operation that has ended." })
export class OperationMetadata {
  operationId!: string;
  fileName!: string | null;

  @Field(() => OperationCode, {
    nullable: true,
    description: "Reason of a failure, or a warning; null if there is none.",
  })
  code!: OperationCodeValue | null;

  // `downloadUrl` is a field of its resolver.

  @Field(() => String, {
    nullable: true,
    description:
      "First day, as `YYYY-MM-DD`, of the export that continues this one; null unless `code` is `WARN_TRUNCATED_EXPORT`.",
  })
  nextDate!: string | null;
}

@ObjectType({ description: "Progress of an export." })
export class OperationProgress {
  @Field(() => Quantity, {
    description: "Rows read and encoded so far, without the header line. The last of them may not be stored yet.",
  })
  rows!: string;

  @Field(() => Quantity, { nullable: true, description: "Rows of the whole file; null until they are counted." })
  totalRows!: string | null;

  @Field(() => Quantity, {
    description:
      "Bytes of the file that are stored so far. The file is stored in parts, so `bytes` changes less often than `rows`.",
  })
  bytes!: string;

  @Field(() => Float, {
    nullable: true,
    description: "`rows` divided by `totalRows`, from 0 to 1; null until the rows are counted.",
  })
  fraction!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Estimated seconds from `updatedAtTimestamp` to the end, computed from the mean rate so far; null if the operation does not run, if its rows are not counted yet, or if it has no rows yet.",
  })
  etaSeconds!: number | null;
}

@ObjectType({
  description:
    "An exported file that is ready: CSV (RFC 4180) in UTF-8. If the status is `COMPLETED`, it was not truncated; after `COMPLETED_WITH_WARNING`, see `metadata.nextDate`. `Operation.message` names rows that are missing for another reason.",
})
export class ExportedFile {
  operationId!: string;

  @Field(() => String, { description: "File name of the download." })
  fileName!: string;

  @Field(() => Quantity, { description: "Size in bytes." })
  sizeBytes!: string;

  @Field(() => Quantity, { description: "Number of rows, without the header line." })
  rowCount!: string;

  @Field(() => String, { description: "SHA-256 of the file, as 64 hex digits." })
  sha256!: string;

  @Field(() => Compression, { description: "Format of the file." })
  compression!: Compression;

  // `downloadUrl` is a field of its resolver.

  @Field(() => Timestamp, { description: "When the file is deleted." })
  expiresAtTimestamp!: string;
}

@ObjectType({ description: "A job that runs in the background: an export of transactions." })
@Directive('@key(fields: "operationId")')
export class Operation {
  /** Increases with every change of the row. */
  version!: bigint;
  /** Name of the API key that started it; empty without a key. */
  owner!: string;
  request!: ExportRequest;

  /** `0x` hex of the hash of the secret; null if it was started with an API key. */
  cancelTokenHash!: string | null;

  @Field(() => ID, { description: "Id: a UUID." })
  operationId!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Secret of an operation that was started without an API key: `cancelOperation`, `operations` and `operationsUpdated` need it. Only the answer of the start that created the operation has it; it is never shown again. Null in every other answer.",
  })
  cancelToken!: string | null;

  @Field(() => OperationType, { description: "What the operation does." })
  operationType!: OperationType;

  @Field(() => OperationStatus, { description: "Status." })
  operationStatus!: OperationStatus;

  @Field(() => String, {
    nullable: true,
    description:
      "Text for people. While the operation runs, it says why the operation waits or why the last attempt failed. After the end, it explains the result. Null if there is nothing to explain.",
  })
  message!: string | null;

  @Field(() => OperationMetadata, {
    nullable: true,
    description: "Result; null while the operation runs, and if it was cancelled.",
  })
  metadata!: OperationMetadata | null;

  @Field(() => Timestamp, { description: "When the operation was requested." })
  createdAtTimestamp!: string;

  @Field(() => Timestamp, { description: "When the operation last changed." })
  updatedAtTimestamp!: string;

  @Field(() => Timestamp, {
    nullable: true,
    description: "When a worker started the operation; null if no worker has started it.",
  })
  startedAtTimestamp!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "When the operation ended; null while it runs." })
  endedAtTimestamp!: string | null;

  @Field(() => Timestamp, {
    nullable: true,
    description: "When the operation and its file are deleted; null while it runs.",
  })
  expiresAtTimestamp!: string | null;

  @Field(() => Boolean, { description: "True if the cancellation of the operation was requested." })
  isCancelled!: boolean;

  @Field(() => OperationProgress, { description: "Progress." })
  progress!: OperationProgress;

  @Field(() => ExportedFile, { nullable: true, description: "The file; null unless the operation is completed." })
  file!: ExportedFile | null;
}

@ObjectType({ description: "A page of operations." })
export class OperationConnection extends Connection(Operation, "Operations of the page.") {
  @Field(() => String, {
    nullable: true,
    description:
      "Why the list is empty, if it was requested without an API key and without `cancelTokens`. Null otherwise.",
  })
  message!: string | null;
}

@ArgsType()
export class OperationArgs {
  @Field(() => ID, { description: "Id of the operation." })
  operationId!: string;
}

@ArgsType()
export class CancelOperationArgs extends OperationArgs {
  @Field(() => String, {
    nullable: true,
    description: "`cancelToken` of the operation. Required if the operation was started without an API key.",
  })
  cancelToken?: string | null;
}

const CANCEL_TOKENS =
  "`cancelToken` of operations that were started without an API key, up to 100. A caller without a key gets these operations. Not allowed with a key.";

@ArgsType()
export class WatchedOperationsArgs {
  @Field(() => [String], { nullable: true, description: CANCEL_TOKENS })
  cancelTokens?: string[] | null;
}

@InputType({ description: "Filter of operations." })
class OperationFilter {
  @Field(() => OperationStatus, { nullable: true, description: "Filter by status. Default: every status." })
  status?: OperationStatus | null;
}

@ArgsType()
export class OperationsArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => [String], { nullable: true, description: CANCEL_TOKENS })
  cancelTokens?: string[] | null;

  @Field(() => OperationFilter, { nullable: true, description: "Which operations. Absent: all." })
  filter?: OperationFilter | null;
}
