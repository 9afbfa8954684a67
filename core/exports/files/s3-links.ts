import { contentDisposition } from "./file-headers.ts";
import type { FileLinks } from "./links.ts";
import { objectKey, openS3, type S3Settings } from "./s3.ts";

/** Links to files in an S3-compatible store, which the store itself serves. */
export function createS3Links(settings: S3Settings, lifetimeSeconds: number): FileLinks {
  const loaded = load(settings);
  loaded.catch(() => {});
  return {
    async urlOf(file) {
      const { client, GetObjectCommand, getSignedUrl } = await loaded;
      const command = new GetObjectCommand({
        Bucket: settings.bucket,
        Key: objectKey(settings, file),
        ResponseContentDisposition: contentDisposition(file),
      });
      return getSignedUrl(client, command, { expiresIn: lifetimeSeconds });
    },
  };
}

async function load(settings: S3Settings) {
  const [client, { GetObjectCommand }, { getSignedUrl }] = await Promise.all([
    openS3(settings),
    import("@aws-sdk/client-s3"),
    import("@aws-sdk/s3-request-presigner"),
  ]);
  return { client, GetObjectCommand, getSignedUrl };
}
