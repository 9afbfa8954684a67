import { cleanPath, decodedPath, queryValues, redirectTarget, splitTarget } from "./target.ts";

describe("a request target", () => {
  it.each([
    ["/ext/info", "/ext/info"],
    ["//ext///info/", "/ext/info/"],
    ["/ext/./x/../info/.", "/ext/info"],
    ["/../ext", "/ext"],
    ["", "/"],
  ])("with the path %s has the clean path %s", (path, clean) => {
    expect(cleanPath(path)).toBe(clean);
  });

  it.each([
    ["//ext/info?x=1", "/ext/info?x=1"],
    ["/ext//a%20b%3fc*", "/ext/a%20b%3Fc%2A"],
    ["http://example.com//ext/info", "http://example.com/ext/info"],
    ["/ext/%2e/$&+,:;=@~-_.", "/ext/$&+,:;=@~-_."],
  ])("%s is redirected to %s", (target, redirected) => {
    expect(redirectTarget(target)).toBe(redirected);
  });

  it("is redirected below the path where a team mounts the Router", () => {
    expect(redirectTarget("//ext/info?x=1", "/prefix")).toBe("/prefix/ext/info?x=1");
  });

  it("has a decoded path, or none if its percent-encoding is malformed", () => {
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
  ])("with the query %s has the tags %j", (query, tags) => {
    expect(queryValues(query, "tag")).toEqual(tags);
  });
});
