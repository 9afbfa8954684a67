import { resultForText } from "./result-for-text.ts";

describe("a result that is made text once", () => {
  it("has the same text, with its errors and data of objects that make their own text", () => {
    const data = { toJSON: () => ({ rows: [{ at: new Date(0) }] }) };
    const errors = [{ message: "one" }] as never;
    const text = '{"errors":[{"message":"one"}],"data":{"rows":[{"at":"1970-01-01T00:00:00.000Z"}]}}';
    expect(JSON.stringify(resultForText({ errors, data: data as never }))).toBe(text);
    expect(JSON.stringify(resultForText({ errors, data: data.toJSON() as never }))).toBe(text);
  });

  it("does not keep its data after that", () => {
    const result = resultForText({ data: { row: 1 } });
    expect(JSON.stringify(result)).toBe('{"data":{"row":1}}');
    expect(JSON.stringify(result)).toBe('{"data":null}');
  });

  it.each([null, undefined])("stays as it is if its data is %s", (data) => {
    const result = { data };
    expect(resultForText(result)).toBe(result);
  });
});
