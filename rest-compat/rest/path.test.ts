import { expressPath, normalTarget, parameterNames, splitTarget } from "./path.ts";

const LIST = "/v1/chains/{chainId}/addresses/{address}/transactions:listErc20";

describe("a path template", () => {
  it("names its parameters", () => {
    expect(parameterNames(LIST)).toEqual(["chainId", "address"]);
    expect(parameterNames("/v1/chains")).toEqual([]);
  });

  it("becomes a path of Express with its own colons escaped", () => {
    expect(expressPath(LIST)).toBe("/v1/chains/:chainId/addresses/:address/transactions\\:listErc20");
  });
});

describe("a request target", () => {
  it.each([
    ["/v1/chains", "/v1/chains"],
    ["/v1/chains/", "/v1/chains/"],
    ["/", "/"],
    ["/v1/chains?a=%zz//", "/v1/chains?a=%zz//"],
    ["//v1//chains//", "/v1/chains"],
    ["//v1/chains?a=//b", "/v1/chains?a=//b"],
    ["//", "/"],
    ["/v1/ch%61ins", "/v1/chains"],
    ["/v1/chains/a%2Fb%20c/blocks", "/v1/chains/a%2Fb%20c/blocks"],
    ["/v1/chains/%2e%2e/x", "/v1/chains/../x"],
    ["/v1/chains/1/transactions%3alistErc20", "/v1/chains/1/transactions:listErc20"],
    ["http://x/v1/chains/7?a=b", "/v1/chains/7?a=b"],
    ["*", "/*"],
  ])("%s is normalised to %s", (target, normal) => {
    expect(normalTarget(target)).toBe(normal);
  });

  it.each(["/v1/chains/%", "/v1/chains/%E0%A4%A", "/v1/chains/%zz", "/%ff"])("%s is refused", (target) => {
    expect(() => normalTarget(target)).toThrow("URL must be percent-encoded UTF-8, got");
  });

  it("is split into path and query, without the origin of a proxy's absolute form", () => {
    expect(splitTarget("http://x/v1/chains?a=b?c")).toEqual({ path: "/v1/chains", query: "a=b?c" });
    expect(splitTarget("/v1/chains")).toEqual({ path: "/v1/chains", query: "" });
  });
});
