import type { S3Client } from "@aws-sdk/client-s3";
import type { Config } from "../../config/config-schema.ts";
import type { ExportedFile } from "./links.ts";

export type S3Settings = NonNullable<Config["exports"]["s3"]>;

const CONNECT_TIMEOUT_MS = 5_000;
/** Time without any byte after which a request is given up. */
const SOCKET_TIMEOUT_MS = 30_000;

/** Opens a client of the store. The SDK is loaded only here, because it is large and most installations do not use it. */
export async function openS3(settings: S3Settings): Promise<S3Client> {
  const { region, endpoint, forcePathStyle, accessKeyId, secretAccessKey } = settings;
  // Without this, the SDK prints a line of plain text: its later versions need a later Node.js. package.json pins its version.
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  const { S3Client } = await import("@aws-sdk/client-s3");
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: SOCKET_TIMEOUT_MS },
    // Some stores other than AWS refuse the checksums that the SDK adds by default.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
}

/** Key of an operation's file in the bucket. */
export function objectKey({ prefix }: S3Settings, { operationId, fileName }: ExportedFile): string {
  return `${prefix}${operationId}/${fileName}`;
}
