/** A server whose texts Moraine reads, as the settings name it. */
export interface SecretSource {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Removes addresses and secrets from a text that a server wrote, or that a library wrote about the server. */
export type Redact = (text: string) => string;

const REMOVED = "[removed]";
/** Shorter parts of a URL occur in ordinary words, and are never keys. */
const MIN_SECRET_CHARACTERS = 4;
/** Parts of the paths of nodes, which are no secrets. */
const PATH_WORDS: ReadonlySet<string> = new Set(
  "ext index block tx vtx info health admin avax platform wallet evm rpc http https mainnet fuji testnet".split(" "),
);
/** An address with a scheme, up to a character that ends it in prose, JSON or HTML. */
const URLS = /\b[a-z][a-z0-9+.-]*:\\?\/\\?\/[^\s"'<>`|^{}]+/gi;
/** An address without a scheme that has a user and a password. */
const ACCOUNTS = /[^\s"'<>/@:]+:[^\s"'<>/@]+@[^\s"'<>`|^{}]+/g;

/**
 * Returns a function for the texts of these servers. It removes every URL, and every part of the settings that may be a secret, wherever it
 * occurs: user, password, values of the query, parts of the path that are no names of APIs, values of headers.
 */
export function createRedaction(...sources: readonly SecretSource[]): Redact {
  const secrets = [...new Set(sources.flatMap(secretsOf))].sort((one, other) => other.length - one.length);
  const pattern = secrets.length > 0 ? new RegExp(secrets.map(escaped).join("|"), "gi") : null;
  return (text) => {
    const plain = withoutAddresses(text);
    return pattern ? plain.replace(pattern, REMOVED) : plain;
  };
}

/** Removes every URL, and every address with an account, from a text. */
export function withoutAddresses(text: string): string {
  return text.replace(URLS, REMOVED).replace(ACCOUNTS, REMOVED);
}

/** Removes user, password and query from every URL in a text, and keeps the rest of it. For log lines, where addresses are of use. */
export function withoutCredentials(text: string): string {
  return text.replace(/(:\/\/)[^\s"'\\/@]+@/g, "$1").replace(/(:\/\/[^\s"'\\?]+)\?[^\s"'\\)]*/g, "$1");
}

function secretsOf({ url, headers = {} }: SecretSource): string[] {
  const { username, password, pathname, searchParams, search } = new URL(url);
  const account = [username, password].flatMap(bothForms);
  const basic =
    username || password ? [Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")] : [];
  const query = [
    ...searchParams.values(),
    ...search
      .slice(1)
      .split(/[&=]/)
      .filter((_, i) => i % 2 === 1),
  ];
  // A scheme such as `Bearer` stands before the secret.
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, "")]);
  return [...account, ...basic, ...query, ...secretSegments(pathname), ...values].filter(
    (secret) => secret.length >= MIN_SECRET_CHARACTERS,
  );
}

/** The parts of a path that may be keys: all but the names of APIs, and of the chain that stands after `bc`. */
function secretSegments(pathname: string): string[] {
  const segments = pathname.split("/");
  return segments
    .filter((segment, i) => !PATH_WORDS.has(segment.toLowerCase()) && segments[i - 1] !== "bc")
    .flatMap(bothForms);
}

/** As it stands in a URL, and as it stands elsewhere. */
const bothForms = (part: string): string[] => [part, decoded(part)];

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
