// `node tools/build/health-check.mjs <URL>` ends with code 0 if a GET of the URL is answered with success, and otherwise with code 1 and the
// reason. Container images have no other program that could ask. Needs only Node.js.
const [, , url = ""] = process.argv;
const LIMIT_MS = 4_000;

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  const text = await response.text();
  if (!response.ok) throw new Error(`HTTP ${response.status} ${text.slice(0, 500)}`);
} catch (error) {
  const { message, cause } = /** @type {Error} */ (error);
  console.error(`${url || "no URL was given"}: ${cause instanceof Error ? cause.message : message}`);
  process.exitCode = 1;
}
