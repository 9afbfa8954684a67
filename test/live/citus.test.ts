import { distributeFirstTable, distributeNewTables } from "../../core/database/distribution.ts";
import { migrate } from "../../core/database/migrate.ts";
import { openSession } from "../../core/database/postgres/connect.ts";
import type { Api } from "../conformance/api.ts";
import { COORDINATOR, createCitusDatabase, WITHOUT_CITUS } from "../support/database/citus.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { answersOf, ROUTE_REQUESTS, serveAtFixedTime, startedOn } from "../upgrade/same-answers.ts";

const describeCitus = COORDINATOR ? describe : describe.skip;

describeCitus(`a database that Citus distributes${WITHOUT_CITUS}`, () => {
  let distributed: Api;
  let plain: Api;
  beforeAll(async () => {
    const fresh = await indexedAlphaNetwork();
    const empty = await createCitusDatabase();
    await migrate(empty.url, () => {});
    const session = await openSession(empty.url);
    await distributeFirstTable(session, 2);
    await distributeNewTables(session, () => {});
    await session.end();
    const database = await startedOn(empty.url, fresh.config, empty);
    distributed = await serveAtFixedTime({ ...database, config: fresh.config });
    plain = await serveAtFixedTime(fresh);
  }, 300_000);
  afterAll(async () => {
    await distributed[Symbol.asyncDispose]();
    await plain[Symbol.asyncDispose]();
  });

  it.each(ROUTE_REQUESTS)("answers $id as a database on one server", async (route) => {
    const answers = await answersOf(distributed, route);
    expect(answers).toEqual(await answersOf(plain, route));
    expect(answers[0]).toMatch(/^200 /);
  });
});
