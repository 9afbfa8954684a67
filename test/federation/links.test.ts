import { DEVIATIONS, fieldAt, ids, isLink, linkNameOf, WITHOUT_LINK } from "../support/graph-links.ts";

describe("an id in an answer", () => {
  it("has a link to what it names, by the rule of names or by the table", () => {
    const missing = ids
      .filter(({ key }) => !(key in WITHOUT_LINK))
      .filter(({ type, field, key }) => !isLink(fieldAt(type, DEVIATIONS[key] ?? linkNameOf(field.name))))
      .map(({ key }) => key);
    expect(missing).toEqual([]);
  });

  it("is in a table only if it exists, and in the table of ids without link only if the rule of names finds none", () => {
    const known = new Set(ids.map(({ key }) => key));
    const byRule = ids.filter(({ type, field }) => isLink(fieldAt(type, linkNameOf(field.name)))).map(({ key }) => key);
    expect(Object.keys(DEVIATIONS).filter((key) => !known.has(key))).toEqual([]);
    expect(Object.keys(WITHOUT_LINK).filter((key) => !known.has(key) || byRule.includes(key))).toEqual([]);
  });
});
