export type Dialect = "rest" | "json-rpc" | "graphql";

/** A request to send. `path` is sent unchanged. It has only characters from `!` to U+00FF. */
export interface AttackRequest {
  readonly dialect: Dialect;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** A response, or the reason why there is none. */
export interface AttackResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly failure: string | null;
}

const LONG_BODY = 2_000;

/** A command for a shell that sends the request. A long body is cut, with a note. */
export function curlLine({ method, path, headers, body }: AttackRequest, url: string): string {
  const parts = ["curl", "-sS", "-g", "--path-as-is", "-X", method];
  for (const [name, value] of Object.entries(headers)) parts.push("-H", quote(`${name}: ${value}`));
  if (body) parts.push("--data-binary", quote(shortened(body.toString("utf8"))));
  return [...parts, quote(`${url}${path}`)].join(" ");
}

function shortened(text: string): string {
  return text.length > LONG_BODY ? `${text.slice(0, LONG_BODY)}…(${text.length} characters)` : text;
}

/** Quotes a text for bash; control characters are escaped. */
function quote(text: string): string {
  const chars = [...text].map((char) => {
    const code = char.charCodeAt(0);
    if (code < 32 || code === 127) return `\\x${code.toString(16).padStart(2, "0")}`;
    return char === "\\" || char === "'" ? `\\${char}` : char;
  });
  const quoted = chars.join("");
  return quoted === text ? `'${text}'` : `$'${quoted}'`;
}
