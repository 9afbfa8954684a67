import pg from "pg";
import { errorCode } from "../../errors/errors.ts";

const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 500;

type Done = (release?: boolean | Error) => void;
type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, done: Done) => void;

/**
 * A pool whose callers wait while the server has no free connection, as they wait while all connections of the pool are in use. Connections
 * of other processes may end meanwhile, and those of the pool are used again.
 *
 * A callback may give its connection back twice: the second time does nothing. graphile-worker does so when it stops before its `LISTEN`
 * has failed, in a promise that nobody awaits, and the error of pg-pool would end the process.
 */
export class PatientPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const { connectionTimeoutMillis = 0 } = this.options;
    const deadline = performance.now() + connectionTimeoutMillis;
    if (callback) {
      this.#connectBefore(deadline, FIRST_PAUSE_MS, callback);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.#connectBefore(deadline, FIRST_PAUSE_MS, (error, client) => (client ? resolve(client) : reject(error)));
    });
  }

  #connectBefore(deadline: number, pauseMs: number, callback: Callback): void {
    super.connect((error, client, done) => {
      if (!hasNoFreeConnection(error) || performance.now() + pauseMs > deadline)
        return callback(error, client, firstOnly(done));
      const nextPauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS);
      setTimeout(() => this.#connectBefore(deadline, nextPauseMs, callback), pauseMs);
    });
  }
}

function firstOnly(done: Done): Done {
  let isDone = false;
  return (release) => {
    if (isDone) return;
    isDone = true;
    done(release);
  };
}

const TOO_MANY_CONNECTIONS = "53300";

/** PgBouncer has no code of its own for this. */
function hasNoFreeConnection(error: Error | undefined): boolean {
  if (!error) return false;
  return errorCode(error) === TOO_MANY_CONNECTIONS || /no more connections allowed/.test(error.message);
}
