import { readFileSync } from "node:fs";

/** Lines of a raw answer, and the same as headers. */
const EXPECTED = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "x-moraine-version": (JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }).version,
};

/** Asserts that the bytes of an answer begin with a status, and that its head tells caches not to store it and names the request. */
export function expectNotStored(bytes: string): void {
  const [head = ""] = bytes.split("\r\n\r\n");
  expect(head).toMatch(/\r\ncache-control: no-store(\r\n|$)/i);
  expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}(\r\n|$)/i);
}

/** Asserts that the bytes of an answer begin with a status, and that its head has the headers for browsers. */
export function expectSecureAnswer(bytes: string, status: number): void {
  const [head = ""] = bytes.split("\r\n\r\n");
  const [statusLine, ...lines] = head.split("\r\n");
  expect(statusLine).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(lines.map((line) => line.toLowerCase())).toEqual(
    expect.arrayContaining(Object.entries(EXPECTED).map(([name, value]) => `${name}: ${value.toLowerCase()}`)),
  );
}

export function expectSecureHeaders(headers: Iterable<readonly [name: string, value: unknown]>): void {
  expect(Object.fromEntries(headers)).toMatchObject(EXPECTED);
}
