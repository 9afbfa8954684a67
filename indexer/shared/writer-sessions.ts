import { onceAtATime } from "../../core/async/once.ts";
import { openWriterSession, type Writer, type WriterSession } from "./writer.ts";

const NAME = "moraine writer";
/** How often the sessions are checked: a connection that has no traffic may be lost without a message. */
const CHECK_MS = 60_000;
/**
 * A session that several writers share is renewed if it had transactions, but none since the last check. If it has transactions all the time, it is
 * renewed at this check after its last renewal. A session of PostgreSQL keeps some 100 KB for the tables of each chain that it has used.
 */
const MOST_CHECKS = 10;

/** The database sessions in which one process writes all its chains and networks of a database. */
export interface WriterSessions extends AsyncDisposable {
  /**
   * Becomes the writer of `name`; returns null if another process or another call is the writer. The writer shares its session if there are more writers than
   * sessions. If the session is lost, so are the locks of all its writers.
   */
  tryBecomeWriter(name: string): Promise<Writer | null>;
}

interface WriterSessionsOptions {
  readonly url: string;
  /** How many sessions may be open at once. */
  readonly most: number;
  /** Called with the process id of each session that it opens, on the machine of the PostgreSQL server. Default: nothing. */
  readonly onSession?: (pid: number) => void;
  /** Default: a minute. */
  readonly checkMs?: number;
}

/** A session that is open or opens. */
interface Place {
  readonly session: Promise<WriterSession>;
  /** Number of its writers, and of the calls that try to become one. */
  users: number;
  /** Number of transactions at the last check. */
  transactions: number;
  /** Number of checks since it was renewed. */
  checks: number;
}

/**
 * Creates the sessions, each of which is opened for its first writer, and closed after its last one. The lock of a writer and its
 * transactions are in one session, so whoever loses the lock cannot commit.
 */
export function createWriterSessions(options: WriterSessionsOptions): WriterSessions {
  const { most, checkMs = CHECK_MS } = options;
  const places: Place[] = [];
  const names = new Set<string>();
  const forget = (place: Place) => {
    const at = places.indexOf(place);
    if (at >= 0) places.splice(at, 1);
  };
  const open = (): Place => {
    const place: Place = {
      session: openWriterSession({ ...options, applicationName: NAME }),
      users: 0,
      transactions: 0,
      checks: 0,
    };
    places.push(place);
    place.session.then(
      (session) => {
        const end = () => forget(place);
        if (session.lost.aborted) end();
        else session.lost.addEventListener("abort", end, { once: true });
      },
      () => forget(place),
    );
    return place;
  };
  const renewIfDue = async (place: Place): Promise<void> => {
    const session = await place.session;
    const { transactions } = session;
    const isQuiet = transactions === place.transactions;
    place.transactions = transactions;
    place.checks++;
    if (place.users < 2 || transactions === 0 || (!isQuiet && place.checks < MOST_CHECKS)) return;
    place.transactions = 0;
    place.checks = 0;
    await session.renew();
  };
  const checkAll = onceAtATime(async () => {
    for (const { session } of places) session.then((one) => one.check()).catch(() => {});
    // One after another, so that there is one more session at a time.
    for (const place of [...places]) await renewIfDue(place).catch(() => {});
  });
  let checking = Promise.resolve();
  const timer = setInterval(() => {
    checking = checkAll();
  }, checkMs).unref();
  const take = (): Place => {
    const place =
      places.length < most ? open() : places.reduce((least, one) => (one.users < least.users ? one : least));
    place.users++;
    return place;
  };
  const leave = async (place: Place): Promise<void> => {
    place.users--;
    if (place.users > 0) return;
    forget(place);
    await (await place.session)[Symbol.asyncDispose]();
  };
  const becomeIn = async (place: Place, name: string): Promise<Writer | null> => {
    const session = await place.session;
    const writer = await session.tryBecomeWriter(name);
    if (!writer) return null;
    return {
      ...writer,
      async [Symbol.asyncDispose]() {
        try {
          await writer[Symbol.asyncDispose]();
        } finally {
          names.delete(name);
          await leave(place);
        }
      },
    };
  };
  return {
    async tryBecomeWriter(name) {
      if (names.has(name)) return null;
      names.add(name);
      const place = take();
      let writer: Writer | null = null;
      try {
        writer = await becomeIn(place, name);
        return writer;
      } finally {
        if (!writer) {
          names.delete(name);
          await leave(place);
        }
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await checking;
      await Promise.allSettled(places.splice(0).map(async ({ session }) => (await session)[Symbol.asyncDispose]()));
    },
  };
}
