import { checkPrimeSync, createPrivateKey, type KeyObject } from "node:crypto";
import { bytesOfLabel } from "./seed.ts";

const PRIME_BYTES = 256;
const PUBLIC_EXPONENT = 65_537n;
const SMALL_PRIMES = smallPrimes(20_000);

/** An RSA key of 4096 bits that follows from a label. Takes about a second. */
export function rsaKeyOf(label: string): KeyObject {
  const p = primeOf(`${label}/p`);
  const q = primeOf(`${label}/q`);
  const d = inverse(PUBLIC_EXPONENT, (p - 1n) * (q - 1n));
  const jwk = {
    kty: "RSA",
    n: base64url(p * q),
    e: base64url(PUBLIC_EXPONENT),
    d: base64url(d),
    p: base64url(p),
    q: base64url(q),
    dp: base64url(d % (p - 1n)),
    dq: base64url(d % (q - 1n)),
    qi: base64url(inverse(q, p)),
  };
  return createPrivateKey({ key: jwk, format: "jwk" });
}

/** The first suitable prime of 2048 bits at or above the label's number. */
function primeOf(label: string): bigint {
  const bytes = bytesOfLabel(label, PRIME_BYTES);
  // The two highest bits make the product 4096 bits long.
  bytes[0] = (bytes[0] ?? 0) | 0xc0;
  bytes[PRIME_BYTES - 1] = (bytes[PRIME_BYTES - 1] ?? 0) | 1;
  const start = BigInt(`0x${bytes.toString("hex")}`);
  const remainders = SMALL_PRIMES.map((prime) => Number(start % BigInt(prime)));
  for (let step = 0; ; step += 2) {
    if (SMALL_PRIMES.some((prime, index) => ((remainders[index] ?? 0) + step) % prime === 0)) continue;
    const candidate = start + BigInt(step);
    if (candidate % PUBLIC_EXPONENT !== 1n && checkPrimeSync(candidate)) return candidate;
  }
}

function smallPrimes(limit: number): number[] {
  const isComposite = new Uint8Array(limit);
  const primes: number[] = [];
  for (let number = 2; number < limit; number++) {
    if (isComposite[number]) continue;
    primes.push(number);
    for (let multiple = number * number; multiple < limit; multiple += number) isComposite[multiple] = 1;
  }
  return primes;
}

/** The inverse of a value modulo another one, by Euclid's algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b] = [value % modulus, modulus];
  let [x, y] = [1n, 0n];
  while (b > 0n) {
    const quotient = a / b;
    [a, b] = [b, a - quotient * b];
    [x, y] = [y, x - quotient * y];
  }
  return ((x % modulus) + modulus) % modulus;
}

function base64url(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex").toString("base64url");
}
