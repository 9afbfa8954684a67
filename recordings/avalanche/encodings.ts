import { createHash } from "node:crypto";
import type { Answer } from "../answers.ts";

const BYTES = /"(block|tx|bytes)":"0x([0-9a-f]*)"/g;

/** True if the answer has a member with bytes in hex, which `toChecked` and `toUnchecked` convert. */
export function hasBytes({ kind, text }: Answer): boolean {
  return kind === "result" && text.search(BYTES) >= 0;
}

/** Converts an answer from `hexnc` to `hex`, which appends a checksum to the bytes. */
export function toChecked({ kind, text }: Answer): Answer {
  const checked = text.replace(BYTES, (_, name, hex) => `"${name}":"0x${hex}${checksum(hex)}"`);
  return { kind, text: checked.replaceAll('"encoding":"hexnc"', '"encoding":"hex"') };
}

/** Converts an answer from `hex` to `hexnc`, which has no checksum. */
export function toUnchecked({ kind, text }: Answer): Answer {
  const bare = text.replace(BYTES, (_, name, hex) => `"${name}":"0x${hex.slice(0, -8)}"`);
  return { kind, text: bare.replaceAll('"encoding":"hex"', '"encoding":"hexnc"') };
}

function checksum(hex: string): string {
  return createHash("sha256").update(hex, "hex").digest("hex").slice(-8);
}
