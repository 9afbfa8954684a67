import { checkListLengths } from "./limits.ts";

const items = (count: number) => Array.from({ length: count }, () => "a");

it.each([
  [{}],
  [{ addresses: items(5_000), pageSize: 10, network: null }],
  [{ request: { options: { addresses: items(5_000), includeChains: items(5_000) } } }],
])("variables with lists of up to 5,000 items are accepted", (variables) => {
  expect(checkListLengths(variables)).toBeNull();
});

it.each([
  [{ addresses: items(5_001) }, "addresses"],
  [{ request: { options: { addresses: items(5_001) } } }, "request"],
  [{ pages: [["a"], items(5_001)] }, "pages"],
])("variables with a longer list are refused, with the name of the variable", (variables, name) => {
  expect(checkListLengths(variables)).toMatchObject({
    code: "OPERATION_TOO_COMPLEX",
    message: `a list may have at most 5,000 items, a list in the variable ${name} has 5,001`,
  });
});

const nested = (levels: number): unknown => (levels === 0 ? "a" : [nested(levels - 1)]);

it("variables with up to 100 levels are accepted, deeper ones are refused, however deep they are", () => {
  expect(checkListLengths({ list: nested(100) })).toBeNull();
  const deepest = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  for (const list of [nested(101), deepest])
    expect(checkListLengths({ list })).toMatchObject({
      code: "OPERATION_TOO_COMPLEX",
      message: "a variable may have at most 100 levels of lists and objects, list has more",
    });
});
