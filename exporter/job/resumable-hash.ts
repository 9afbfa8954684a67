import { createSHA256, type IHasher } from "hash-wasm";
import { mapYielding } from "../../core/async/yield-to-event-loop.ts";

const SLICE_BYTES = 1 << 18;

/** SHA-256 whose state can be stored, so that another process can continue it. */
export interface ResumableHash {
  add(bytes: Uint8Array): Promise<void>;
  /** As base64. */
  save(): string;
  digest(): Buffer;
}

/** Starts a hash, or continues a stored one. Null if the stored one is of another version of the library. */
export async function createResumableHash(stored: string | null): Promise<ResumableHash | null> {
  const hasher = (await createSHA256()).init();
  if (stored !== null && !isLoaded(hasher, stored)) return null;
  return {
    async add(bytes) {
      const slices = Array.from({ length: Math.ceil(bytes.length / SLICE_BYTES) }, (_, i) =>
        bytes.subarray(i * SLICE_BYTES, (i + 1) * SLICE_BYTES),
      );
      await mapYielding(slices, (slice) => void hasher.update(slice));
    },
    save: () => Buffer.from(hasher.save()).toString("base64"),
    digest: () => Buffer.from(hasher.digest("binary")),
  };
}

function isLoaded(hasher: IHasher, stored: string): boolean {
  try {
    hasher.load(Buffer.from(stored, "base64"));
    return true;
  } catch {
    return false;
  }
}
