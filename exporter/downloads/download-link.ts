import { Failure } from "../../core/errors/errors.ts";
import { isSignatureOf } from "../../core/exports/files/links.ts";

/** A request for a file, as the URL states it. */
export interface LinkedFile {
  readonly operationId: string;
  readonly expires: string | null;
  readonly signature: string | null;
}

/** As in REST, duplicate slashes and a trailing slash are ignored. */
const PATH = /^\/+v1\/+operations\/+([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/+file\/*(?:\?(.*))?$/;

/** Parses the target of a request. Null if it is not that of an exported file. */
export function parseTarget(url = ""): LinkedFile | null {
  const [match, operationId = "", query = ""] = PATH.exec(url) ?? [];
  if (match === undefined) return null;
  const parameters = new URLSearchParams(query);
  return { operationId, expires: parameters.get("expires"), signature: parameters.get("signature") };
}

/** Throws `FORBIDDEN` if the service has not signed the link, or if it has expired. */
export function checkLink(secret: Buffer, { operationId, expires, signature }: LinkedFile, nowSeconds: number): void {
  if (expires === null || signature === null)
    throw new Failure("FORBIDDEN", "the link has no signature: use the downloadUrl of the operation");
  const isSigned = /^\d{1,12}$/.test(expires) && isSignatureOf(secret, operationId, Number(expires), signature);
  if (!isSigned)
    throw new Failure("FORBIDDEN", "the signature is not valid for this link: use the downloadUrl of the operation");
  if (Number(expires) <= nowSeconds)
    throw new Failure("FORBIDDEN", "the link has expired: read the operation again for a new downloadUrl");
}
