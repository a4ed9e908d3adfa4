import { openSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import pg from 'pg';
import { type Process, Schedule, type Statements } from './schedule.ts';

/** A statement, or several in one piece, at the database. */
interface UnderWay {
  client: Client;
  process: Process;
}

type Client = pg.Client & {
  processID: number;
  connection: { stream: Socket };
  release?: (error?: Error | boolean) => void;
};
type Submitted = { submit?: unknown };
type Query = (this: unknown, what: unknown, ...rest: unknown[]) => unknown;

const streamOf = (client: Client) => client.connection.stream;

/** A statement that has not ended within this may wait for a lock; the database is asked. */
const askAfterMs = 8;
const realTimer = setTimeout;

/**
 * Has each statement of the simulation wait for its turn. `observer` is a connection of its own, by which the database is asked who
 * waits for whom.
 */
export class GatedStatements implements Statements {
  #schedule: Schedule | null = null;
  #toldMs = 0;
  readonly #underWay = new Map<Client, UnderWay>();
  readonly #locked = new Set<Client>();
  #isNews = false;
  #onEnd: (() => void) | null = null;
  readonly #lines = new WeakMap<object, Promise<unknown>>();
  readonly #observer: pg.Client;
  readonly #clock: number;
  static #plain: Query = pg.Client.prototype.query as unknown as Query;

  /** `clock`: the file from which the database reads the simulation's time. */
  constructor(observer: pg.Client, clock: string) {
    this.#observer = observer;
    this.#clock = openSync(clock, 'w', 0o644);
    this.#tell(0);
    this.#install();
  }

  /** For the whole program; pools are opened afterwards. */
  #install(): void {
    const gated = this;
    Object.defineProperty(pg.Client.prototype, 'query', {
      configurable: true,
      writable: true,
      value(this: Client, what: unknown, ...rest: unknown[]) {
        const process = Schedule.carrier();
        const schedule = gated.#schedule;
        if (!process || !schedule || this === gated.#observer)
          return GatedStatements.#plain.call(this, what, ...rest);
        return gated.#query(schedule, process, this, what, rest);
      },
    });
  }

  attach(schedule: Schedule | null): void {
    this.#schedule = schedule;
    this.#toldMs = 0;
    if (schedule) schedule.statements = this;
  }

  /** Connections of a pool belong to who has taken them. */
  watch(pool: pg.Pool): void {
    pool.options.idleTimeoutMillis = 0;
    pool.on('connect', (client) => {
      (client as unknown as pg.Client).on('drain', () => this.#ended(client as unknown as Client));
    });
    this.#noteWhoTakes(pool);
    pool.on('release', (_error, client) => {
      for (const process of this.#processes) process.connections.delete(client);
    });
  }

  /**
   * The pool tells of a connection in the name of the process that gives it back. Who waited for it is known where it was asked for; a
   * process that has died meanwhile gives it back at once, and never goes on.
   */
  #noteWhoTakes(pool: pg.Pool): void {
    const plain = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
    const value = async () => {
      const process = Schedule.carrier();
      const client = await plain();
      if (!process) return client;
      if (process.isDead) {
        client.release();
        return new Promise<never>(() => undefined);
      }
      process.connections.add(client);
      return client;
    };
    Object.defineProperty(pool, 'connect', { value, configurable: true, writable: true });
  }

  readonly #processes = new Set<Process>();
  know(process: Process): void {
    this.#processes.add(process);
  }

  forgetProcesses(): void {
    this.#processes.clear();
  }

  #query(schedule: Schedule, process: Process, client: Client, what: unknown, rest: unknown[]): unknown {
    const before = this.#lines.get(client) ?? Promise.resolve();
    // One after the other, as they were asked.
    const turn = before.then(() => schedule.turn(process)).then(() => this.#send(schedule, process, client));
    const isSubmitted = typeof (what as Submitted | null)?.submit === 'function';
    const asked = turn.then(() => {
      const answer = GatedStatements.#plain.call(client, what, ...rest);
      return isSubmitted ? undefined : answer;
    });
    this.#lines.set(
      client,
      asked.then(
        () => undefined,
        () => undefined,
      ),
    );
    return isSubmitted ? what : asked;
  }

  /** Written in place and always as long, so that no reader finds half of it. */
  #tell(ms: number): void {
    writeSync(this.#clock, String(ms).padStart(13, '0'), 0);
  }

  #send(schedule: Schedule, process: Process, client: Client): void {
    const now = Math.floor(schedule.nowMs);
    if (now !== this.#toldMs) {
      this.#toldMs = now;
      this.#tell(now);
    }
    this.#underWay.set(client, { client, process });
  }

  #ended(client: Client): void {
    if (!this.#underWay.delete(client)) return;
    this.#locked.delete(client);
    this.#isNews = true;
    this.#schedule?.note();
    this.#onEnd?.();
  }

  underWay(): number {
    return this.#underWay.size;
  }

  async progress(): Promise<number> {
    if (this.#running() === 0) return 0;
    await this.#untilEnd();
    if (this.#running() > 0) {
      const { waiting } = await this.#locks();
      for (const client of this.#underWay.keys()) if (waiting.has(client.processID)) this.#hold(client);
    }
    return this.#running();
  }

  readonly #running = () => this.#underWay.size - this.#locked.size;

  /** It waits for a lock: when it has got it, its answer is read in its turn, and not whenever it comes. */
  #hold(client: Client): void {
    if (this.#locked.has(client)) return;
    this.#locked.add(client);
    streamOf(client).pause();
  }

  async resume(): Promise<boolean> {
    if (this.#locked.size === 0 || !this.#isNews) return false;
    const waiting = await this.#waitingForGood();
    const client = [...this.#locked].find(({ processID }) => !waiting.has(processID));
    if (!client) {
      this.#isNews = false;
      return false;
    }
    this.#locked.delete(client);
    streamOf(client).resume();
    return true;
  }

  #untilEnd(): Promise<void> {
    return new Promise((resolve) => {
      const timer = realTimer(resolve, askAfterMs);
      this.#onEnd = () => {
        clearTimeout(timer);
        this.#onEnd = null;
        resolve();
      };
    });
  }

  async lookAgain(): Promise<void> {
    await new Promise((resolve) => realTimer(resolve, askAfterMs));
    this.#isNews = true;
  }

  /**
   * Of those that waited for a lock, who still does. One that has got its lock goes on by itself, and where several waited for the same
   * row each comes up for a moment: the answer counts only when each either waits or has ended. So it depends on the locks alone, and
   * each ends before time passes.
   */
  async #waitingForGood(): Promise<Set<number>> {
    for (;;) {
      const { waiting, going } = await this.#locks();
      if (![...this.#locked].some(({ processID }) => going.has(processID))) return waiting;
    }
  }

  /** The server's processes, of those with a statement under way: those that wait for a lock, and those that go on. */
  async #locks(): Promise<{ waiting: Set<number>; going: Set<number> }> {
    const rows = await this.ask<{ pid: number; waits: boolean }>(
      `SELECT pid, cardinality(pg_blocking_pids(pid)) > 0 AS waits FROM pg_stat_get_activity(NULL)
       WHERE pid = ANY ($1) AND state = 'active'`,
      [[...this.#underWay.keys()].map(({ processID }) => processID)],
    );
    const pids = (waits: boolean) => new Set(rows.filter((row) => row.waits === waits).map(({ pid }) => pid));
    return { waiting: pids(true), going: pids(false) };
  }

  /** By the observer's connection; the simulation stands still meanwhile. */
  async ask<T>(text: string, values: unknown[] = []): Promise<T[]> {
    const asked = GatedStatements.#plain.call(this.#observer, {
      ...{ text, values },
      name: this.#nameOf(text),
    }) as Promise<{ rows: T[] }>;
    return (await (this.#schedule?.tracked(asked) ?? asked)).rows;
  }

  readonly #names = new Map<string, string>();
  /** Each is planned once, and not at every step of a life. */
  #nameOf(text: string): string {
    const name = this.#names.get(text) ?? `asked ${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  async release(process: Process): Promise<void> {
    for (const { client } of [...this.#underWay.values()].filter((one) => one.process === process)) {
      await this.ask('SELECT pg_cancel_backend($1)', [client.processID]);
      this.#locked.delete(client);
      streamOf(client).resume();
    }
    while ([...this.#underWay.values()].some((one) => one.process === process)) {
      await new Promise((resolve) => realTimer(resolve, 1));
    }
    for (const client of [...process.connections] as Client[]) {
      await GatedStatements.#plain.call(client, 'ROLLBACK');
      this.#lines.delete(client);
      process.connections.delete(client);
      client.release?.();
    }
    // What it held others may have now.
    this.#isNews = true;
    this.#processes.delete(process);
  }
}
