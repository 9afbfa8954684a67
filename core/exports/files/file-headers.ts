import type { ExportedFile } from "./links.ts";

/** The header `content-disposition`, which makes browsers save the file under its name. */
export function contentDisposition({ fileName }: Pick<ExportedFile, "fileName">): string {
  return `attachment; filename="${fileName}"`;
}

/** The header `content-type`. A compressed file is a gzip file: it has no `content-encoding`. */
export function contentType({ fileName }: Pick<ExportedFile, "fileName">): string {
  return fileName.endsWith(".gz") ? "application/gzip" : "text/csv; charset=utf-8";
}
