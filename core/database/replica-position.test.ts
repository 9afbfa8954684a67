import { createPositions, replicaContradiction } from "./replica-position.ts";

describe("the lag of a replica", () => {
  it("is the time between the newest position of the primary server and the last one that the replica has reached", () => {
    const positions = createPositions(20_000);
    expect(positions.lagOf(100n)).toBeNull();
    for (const [second, position] of [100n, 200n, 200n, 300n].entries()) positions.add(position, second * 1_000);
    expect([99n, 100n, 199n, 200n, 299n, 300n, 999n].map((position) => positions.lagOf(position))).toEqual([
      null,
      3,
      3,
      1,
      1,
      0,
      0,
    ]);
  });

  it("does not grow while the primary server writes nothing, or says nothing", () => {
    const positions = createPositions(20_000);
    for (let second = 0; second < 60; second++) positions.add(100n, second * 1_000);
    expect(positions.lagOf(100n)).toBe(0);
  });

  it("is not known of a replica that has reached none of the last positions", () => {
    const positions = createPositions(20_000);
    for (let second = 0; second < 60; second++) positions.add(BigInt(second), second * 1_000);
    expect(positions.lagOf(39n)).toBe(20);
    expect(positions.lagOf(38n)).toBeNull();
  });

  it("begins again after a failover to a server that has written less", () => {
    const positions = createPositions(20_000);
    positions.add(300n, 0);
    positions.add(250n, 1_000);
    expect(positions.lagOf(250n)).toBe(0);
  });
});

it("a server is a replica if it is a copy of the same system, and names the same database", () => {
  const primary = { system: "1", database: "moraine", isReplica: false, position: 1n };
  expect(replicaContradiction({ ...primary, isReplica: true }, primary)).toBeNull();
  expect(replicaContradiction(primary, primary)).toBeNull();
  expect(replicaContradiction({ ...primary, system: "2" }, primary)).toBe(
    "it is no replica of the server of databaseUrl",
  );
  expect(replicaContradiction({ ...primary, database: "other" }, primary)).toBe(
    "it names the database other, and databaseUrl names moraine",
  );
});
