import { connectionSettings } from "../connection-settings.ts";
import { databaseUrl } from "./database-url.ts";

const errorOf = (url: string): string | undefined => databaseUrl.safeParse(url).error?.issues[0]?.message;

const PASSWORD = "p@ss:w/o?r#d%25 [x]&=+é";

describe("a database URL", () => {
  it.each([
    ["postgresql://host", { host: "host" }],
    ["postgres://user:secret@host:5433/name", { host: "host", port: 5433, user: "user", password: "secret" }],
    [
      `postgresql://app:${encodeURIComponent(PASSWORD)}@[::1]:5432/a`,
      { host: "::1", password: PASSWORD, database: "a" },
    ],
    ["postgresql://app:p@ss@host/a", { host: "host", password: "p@ss" }],
    ["postgresql://user:p@/moraine?host=/run/postgresql", { host: "/run/postgresql", database: "moraine" }],
    ["postgresql:///moraine?host=/run/postgresql", { host: "/run/postgresql", database: "moraine" }],
    ["postgresql://user@%2Frun%2Fpostgresql/moraine", { host: "/run/postgresql", database: "moraine" }],
    ["postgresql://host/a?sslmode=disable", { ssl: false }],
    ["postgresql://host/a?sslmode=no-verify", { ssl: { rejectUnauthorized: false } }],
    ["postgresql://host/a?sslmode=require", { ssl: {} }],
    ["postgresql://host/a?sslmode=require&uselibpqcompat=true", { ssl: { rejectUnauthorized: false } }],
  ])("%s can be used", (url, expected) => {
    expect(errorOf(url)).toBeUndefined();
    expect(connectionSettings(url).connection).toMatchObject(expected);
  });

  it("has no other settings for the driver than those of the connection", () => {
    const url = "postgresql://host/a?application_name=b&statement_timeout=1&max=1&query_timeout=1&schema=c";
    expect(Object.keys(connectionSettings(url).connection).toSorted()).toEqual([
      "database",
      "host",
      "password",
      "user",
    ]);
    expect(connectionSettings(url).schema).toBe("c");
  });

  it.each([
    ["an unencoded character", `postgresql://app:${PASSWORD}@host/a`, "must be percent-encoded"],
    ...["/", "?", "#"].flatMap((character): [string, string, string][] => [
      ["an unencoded character", `postgresql://app:pass${character}word@host/a`, "must be percent-encoded"],
      ["an unencoded character", `postgresql://app:1${character}word@host:5432/a`, "must be percent-encoded"],
      ["an unencoded character", `postgresql://app:p@ss${character}word@host/a`, "must be percent-encoded"],
    ]),
    ["an unencoded percent sign", "postgresql://app:100%@host/a", "must be percent-encoded"],
    ["several hosts", "postgresql://app:x@one,two/a", "names several hosts"],
    ["several hosts with ports", "postgresql://app:x@one:5432,two:5432/a", "names several hosts"],
    ["several hosts as a parameter", "postgresql://app:x@/a?host=one,two", "names several hosts"],
    ["a socket as a path", "/run/postgresql moraine", "postgresql://user:password@localhost/moraine?host=/var/run"],
    ["a socket as a URL", "socket:/run/postgresql?db=moraine", "?host=/var/run/postgresql"],
    ["another scheme", "mysql://host/a", "must be a URL that begins with postgresql://, such as"],
    ["the form of key and value", "host=localhost dbname=a", "must be a URL that begins with postgresql://, such as"],
    ["a wrong port", "postgresql://host:http/a", "a port is a number"],
    ["an unknown mode", "postgresql://host/a?sslmode=on", 'has sslmode="on": must be one of disable, prefer, require'],
    ["a mode of libpq that Moraine lacks", "postgresql://host/a?sslmode=allow", 'has sslmode="allow"'],
    ["TLS that is off", "postgresql://host/a?ssl=false", 'has ssl="false": write sslmode=disable'],
    ["a missing file", "postgresql://host/a?sslmode=verify-full&sslrootcert=/no/ca.pem", "one cannot be read (ENOENT"],
  ])("with %s is refused with the form that works: %s", (_what, url, expected) => {
    const error = errorOf(url) ?? "";
    expect(error).toContain(expected);
    expect(error).not.toMatch(/\n|pass\W+word|w\/o|p@ss/);
  });
});
