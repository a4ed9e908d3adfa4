import { AsyncLocalStorage } from 'node:async_hooks';
import { createRandom, pickFrom, type Random } from './random.ts';

/**
 * What runs when, from a seed. Work is carried by processes of the simulation; each statement of theirs to the database, each
 * pause and each answer from outside waits for its turn here, and one turn is given at a time, by chance. Time passes only when
 * nothing else can happen, or when chance has a process wait. So a seed is one order of events, and runs the same each time.
 */
export interface Process {
  readonly name: string;
  isDead: boolean;
  /** Connections of the database that it has taken. */
  readonly connections: Set<object>;
}

interface Turn {
  process: Process;
  /** Not given before this moment of the simulation: its process stands still. */
  notBeforeMs: number;
  give: () => void;
}

interface Timer {
  process: Process;
  atMs: number;
  sequence: number;
  ring: () => void;
}

/** What the schedule must know of statements under way. */
export interface Statements {
  /** How many are at the database. */
  underWay(): number;
  /** Waits until one of them has ended or each waits for a lock; returns how many do not wait for a lock. */
  progress(): Promise<number>;
  /** Lets one go on that has got its lock; false when all of them still wait. */
  resume(): Promise<boolean>;
  /** Nothing else can happen: those that wait are asked about once more, a moment later. */
  lookAgain(): Promise<void>;
  /** Gives back what a process that died has taken. */
  release(process: Process): Promise<void>;
}

const carriedBy = new AsyncLocalStorage<Process>();
const soon = setImmediate;

/** How often a turn is put off, and until when at most. */
const stallRate = 0.004;
const longestStallMs = 90_000;
/** How often time passes although somebody could go on. */
const hasteRate = 0.03;
/** Rounds of the event loop in which nothing happens: then nothing will. */
const quietRounds = 2;

export class Schedule {
  nowMs: number;
  readonly random: Random;
  /** Each turn that was given, in short: two runs of a seed are equal in it. */
  digest = 0;
  steps = 0;
  statements: Statements | null = null;
  #turns: Turn[] = [];
  #timers: Timer[] = [];
  #sequence = 0;
  #happened = 0;
  #tracked = 0;
  #stalls = true;

  constructor(seed: number, startsAtMs: number) {
    this.random = createRandom(seed);
    this.nowMs = startsAtMs;
  }

  /** Faults end: nobody stands still any more. */
  endStalls(): void {
    this.#stalls = false;
    for (const turn of this.#turns) turn.notBeforeMs = 0;
  }

  /** Runs `work` as this process's, until it ends. */
  async run<T>(process: Process, work: () => Promise<T>): Promise<T> {
    let isEnded = false;
    const result = carriedBy.run(process, work).finally(() => {
      isEnded = true;
    });
    result.catch(() => undefined);
    for (;;) {
      await this.#quiet();
      if (isEnded) return result;
      await this.#step();
    }
  }

  /** Whose work this is; undefined outside of the simulation. */
  static carrier(): Process | undefined {
    return carriedBy.getStore();
  }

  /** Starts work of another process; it goes on by itself. */
  static start<T>(process: Process, work: () => Promise<T>): Promise<T> {
    return carriedBy.run(process, work);
  }

  /** Waits for a turn. Of a process that has died meanwhile, it never comes. */
  turn(process: Process): Promise<void> {
    this.#happened += 1;
    return new Promise((give) => {
      if (process.isDead) return;
      const isStalled = this.#stalls && this.random() < stallRate;
      const notBeforeMs = isStalled ? this.nowMs + this.random() * longestStallMs : 0;
      this.#turns.push({ process, notBeforeMs, give });
    });
  }

  /** Returns what takes it back. */
  timer(process: Process, delayMs: number, ring: () => void): () => void {
    this.#happened += 1;
    this.#sequence += 1;
    const timer = { process, atMs: this.nowMs + Math.max(0, delayMs), sequence: this.#sequence, ring };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  /** A pause in simulated time. */
  sleep(delayMs: number): Promise<void> {
    const process = carriedBy.getStore();
    if (!process) throw new Error('only the simulation sleeps here');
    return new Promise((ring) => this.timer(process, delayMs, ring));
  }

  /** Work of this machine that is no statement: nothing else happens before it has ended. */
  async tracked<T>(work: Promise<T>): Promise<T> {
    this.#tracked += 1;
    try {
      return await work;
    } finally {
      this.#tracked -= 1;
      this.#happened += 1;
    }
  }

  /** Work that is no part of the simulation, as looking at what has become of it. */
  beside<T>(work: () => Promise<T>): Promise<T> {
    return this.tracked(carriedBy.exit(work));
  }

  /** Something happened of which the schedule would not know. */
  note(): void {
    this.#happened += 1;
  }

  /** kill -9: nothing of it goes on, and the database takes back what it had not committed. */
  async kill(process: Process): Promise<void> {
    process.isDead = true;
    this.#turns = this.#turns.filter((turn) => turn.process !== process);
    this.#timers = this.#timers.filter((timer) => timer.process !== process);
    await this.statements?.release(process);
  }

  /** Until nothing goes on by itself. */
  async #quiet(): Promise<void> {
    let seen = this.#happened;
    for (let still = 0; still < quietRounds; ) {
      await new Promise((resolve) => soon(resolve));
      if (this.#tracked > 0) still = 0;
      else if (seen !== this.#happened) [seen, still] = [this.#happened, 0];
      else if (this.statements && this.statements.underWay() > 0 && (await this.statements.progress()) > 0)
        still = 0;
      else still += 1;
    }
  }

  async #step(): Promise<void> {
    if (await this.statements?.resume()) return;
    this.steps += 1;
    const ready = this.#turns.filter(({ notBeforeMs }) => notBeforeMs <= this.nowMs);
    const next = this.#nextTimer();
    const isHasty = next !== null && ready.length > 0 && this.random() < hasteRate;
    if (ready.length > 0 && !isHasty) {
      const turn = pickFrom(ready, this.random);
      this.#turns.splice(this.#turns.indexOf(turn), 1);
      this.#remember(this.#sequence + ready.length);
      return turn.give();
    }
    const later = Math.min(...this.#turns.map(({ notBeforeMs }) => notBeforeMs), next?.atMs ?? Infinity);
    if (later === Number.POSITIVE_INFINITY) {
      // Statements that wait for each other: the database ends one of them.
      if (this.statements && this.statements.underWay() > 0) return this.statements.lookAgain();
      throw new Error('nothing can happen any more, and the work has not ended');
    }
    this.nowMs = Math.max(this.nowMs, later);
    this.#remember(Math.round(this.nowMs));
    if (next && next.atMs <= this.nowMs) {
      this.#timers.splice(this.#timers.indexOf(next), 1);
      next.ring();
    }
  }

  #nextTimer(): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) {
      if (!first || timer.atMs < first.atMs || (timer.atMs === first.atMs && timer.sequence < first.sequence))
        first = timer;
    }
    return first;
  }

  #remember(value: number): void {
    this.digest = (Math.imul(this.digest, 31) + value) | 0;
  }
}
