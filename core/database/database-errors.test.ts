import { reasonOf } from "./database-errors.ts";

it("an ended session is not called a server that shuts down: an operator ends a session with the same code", () => {
  expect(["57P01", "57P02"].map((code) => reasonOf({ code }))).toEqual(Array(2).fill("it has ended the session"));
  expect(reasonOf({ code: "57P03" })).toBe("it is starting up or shutting down");
});
