import { cleanPath, decodedPath, isAllowedHost, movedTo, queryValues, splitTarget } from "./target.ts";

describe("as Go reads HTTP,", () => {
  it.each([
    ["/ext/info", "/ext/info"],
    ["//ext///info/", "/ext/info/"],
    ["/ext/./x/../info/.", "/ext/info"],
    ["/../ext", "/ext"],
    ["", "/"],
  ])("the path %s is %s once it is clean", (path, clean) => {
    expect(cleanPath(path)).toBe(clean);
  });

  it.each([
    ["//ext/info?x=1", "/ext/info?x=1"],
    ["/ext//a%20b%3fc*", "/ext/a%20b%3Fc%2A"],
    ["http://example.com//ext/info", "http://example.com/ext/info"],
    ["/ext/%2e/$&+,:;=@~-_.", "/ext/$&+,:;=@~-_."],
  ])("%s points to %s", (target, moved) => {
    expect(movedTo(target)).toBe(moved);
  });

  it("a target has a path that is decoded whole, or not at all", () => {
    expect(decodedPath("/ext/inf%6f?%zz")).toBe("/ext/info");
    expect(decodedPath("/ext/info%zz")).toBeNull();
    expect(splitTarget("HTTP://h:1/ext/info?a?b")).toEqual({ host: "h:1", path: "/ext/info", query: "a?b" });
    expect(splitTarget("http://h")).toEqual({ host: "h", path: "/", query: "" });
  });

  it.each([
    ["tag=a&tag=b&TAG=c&tags=d", ["a", "b"]],
    ["tag", [""]],
    ["tag=", [""]],
    ["tag=a=b&tag=%61+b", ["a=b", "a b"]],
    ["tag=%zz&tag=a;tag=b&&tag=%ff", ["\ufffd"]],
    ["t%61g=x", ["x"]],
  ])("the query %s has the tags %j", (query, tags) => {
    expect(queryValues(query, "tag")).toEqual(tags);
  });

  it.each([
    ["localhost", true],
    ["LOCALHOST:1", true],
    ["localhost.", false],
    ["localhost.evil.com", false],
    ["127.0.0.1", true],
    ["[::1]:9650", true],
    ["::1", true],
    ["[::1]", false],
    ["0x7f.1", false],
    ["", true],
  ])("the host %s may ask: %s", (host, isAllowed) => {
    expect(isAllowedHost(host, ["localhost"])).toBe(isAllowed);
    expect(isAllowedHost(host, ["*"])).toBe(true);
  });
});
