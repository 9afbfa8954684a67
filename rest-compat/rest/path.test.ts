import { createRouter, parameterNames } from "./path.ts";

const LIST = "/v1/chains/{chainId}/addresses/{address}/transactions:listErc20";
const route = createRouter(
  ["/", "/v1/chains", "/v1/chains/{chainId}", "/v1/chains/supported", "/v1/chains/{chainId}/blocks", LIST].map(
    (template) => [template, template] as const,
  ),
);

describe("the router", () => {
  it.each([
    ["/v1/chains", "/v1/chains", []],
    ["/v1/chains/", "/v1/chains", []],
    ["//v1//chains//", "/v1/chains", []],
    ["/", "/", []],
    ["//", "/", []],
    ["", "/", []],
    ["/v1/chains/43114", "/v1/chains/{chainId}", ["43114"]],
    ["/v1/chains/supported", "/v1/chains/supported", []],
    ["/v1/chains/supported/blocks", "/v1/chains/{chainId}/blocks", ["supported"]],
    ["/v1/chains/a%2Fb%20c/blocks", "/v1/chains/{chainId}/blocks", ["a/b c"]],
    ["/v1/ch%61ins", "/v1/chains", []],
    ["/v1/chains/1/addresses/0xAb/transactions:listErc20", LIST, ["1", "0xAb"]],
    ["/v1/chains/1/addresses/0xAb/transactions%3AlistErc20", LIST, ["1", "0xAb"]],
  ])("finds %s at %s with %j", (path, resource, values) => {
    expect(route(path)).toEqual({ resource, values });
  });

  it.each(["/v1", "/v1/Chains", "/V1/chains", "/v1/chains/1/block", "/v1/chains/1/blocks/2", "/v1/chains/..%2f/x"])(
    "finds nothing at %s",
    (path) => {
      expect(route(path)).toBeNull();
    },
  );

  it.each(["/v1/chains/%", "/v1/chains/%E0%A4%A", "/v1/chains/%zz", "/%ff"])("refuses %s", (path) => {
    expect(() => route(path)).toThrow("URL must be percent-encoded UTF-8, got");
  });

  it("names the parameters of a template", () => {
    expect(parameterNames(LIST)).toEqual(["chainId", "address"]);
  });
});
