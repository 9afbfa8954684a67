import { createHash } from "node:crypto";
import type { Answer } from "../answers.ts";

const BYTES = /"(block|tx|bytes)":"0x([0-9a-f]*)"/g;

/** True when the answer holds bytes in hex that `toChecked` and `toUnchecked` can rewrite. */
export function hasBytes({ kind, text }: Answer): boolean {
  return kind === "result" && text.search(BYTES) >= 0;
}

/** The same answer in `hex`: bytes followed by the last four of their SHA-256, from one in `hexnc`. */
export function toChecked({ kind, text }: Answer): Answer {
  const checked = text.replace(BYTES, (_, name, hex) => `"${name}":"0x${hex}${checksum(hex)}"`);
  return { kind, text: checked.replaceAll('"encoding":"hexnc"', '"encoding":"hex"') };
}

/** The same answer in `hexnc`: bytes alone, from one in `hex`. */
export function toUnchecked({ kind, text }: Answer): Answer {
  const bare = text.replace(BYTES, (_, name, hex) => `"${name}":"0x${hex.slice(0, -8)}"`);
  return { kind, text: bare.replaceAll('"encoding":"hex"', '"encoding":"hexnc"') };
}

function checksum(hex: string): string {
  return createHash("sha256").update(hex, "hex").digest("hex").slice(-8);
}
