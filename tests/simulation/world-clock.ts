import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Schedule } from './schedule.ts';

/**
 * Inside of the simulation the clock is the schedule's, timers are its, and what is random comes from its seed. Everything else of
 * this program keeps the machine's. Called once, before anything of the portal is loaded that keeps a function of these.
 */
let present: Schedule | null = null;

export function attachClock(schedule: Schedule | null): void {
  present = schedule;
}

const inside = () => (present && Schedule.carrier() ? present : null);
const startsAt = { real: performance.now() };

export function installWorldClock(): void {
  installDate();
  installTimers();
  installRandom();
  installCrypto();
}

function installDate(): void {
  const RealDate = Date;
  class WorldDate extends RealDate {
    constructor(...given: unknown[]) {
      const schedule = given.length === 0 ? inside() : null;
      if (schedule) super(schedule.nowMs);
      else super(...(given as []));
    }
    static override now(): number {
      return Math.floor(inside()?.nowMs ?? RealDate.now());
    }
  }
  globalThis.Date = WorldDate as DateConstructor;
  const realNow = performance.now.bind(performance);
  performance.now = () => inside()?.nowMs ?? realNow() - startsAt.real;
}

function installTimers(): void {
  const real = { set: globalThis.setTimeout, clear: globalThis.clearTimeout };
  const set = (ring: (...given: unknown[]) => void, delayMs = 0, ...given: unknown[]) => {
    const schedule = inside();
    const process = Schedule.carrier();
    if (!schedule || !process) return real.set(ring, delayMs, ...given);
    const takeBack = schedule.timer(process, delayMs, () =>
      Schedule.start(process, async () => ring(...given)),
    );
    const handle = { takeBack, unref: () => handle, ref: () => handle, hasRef: () => false };
    return handle;
  };
  const clear = (handle: unknown) => {
    if (handle && typeof handle === 'object' && 'takeBack' in handle) (handle.takeBack as () => void)();
    else real.clear(handle as NodeJS.Timeout);
  };
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms: number) => {
    if (!inside()) return timeout(ms);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('timed out', 'TimeoutError')), ms);
    return controller.signal;
  };
}

function installRandom(): void {
  const real = {
    random: Math.random,
    bytes: crypto.randomBytes,
    uuid: crypto.randomUUID,
    int: crypto.randomInt,
  };
  Math.random = () => inside()?.random() ?? real.random();
  const bytes = (size: number, ...rest: []) => {
    const schedule = inside();
    if (!schedule) return real.bytes(size, ...rest);
    return Buffer.from(Array.from({ length: size }, () => Math.floor(schedule.random() * 256)));
  };
  const uuid = (...given: []) => {
    if (!inside()) return real.uuid(...given);
    const hex = bytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  Object.assign(crypto, { randomBytes: bytes, randomUUID: uuid });
  syncBuiltinESMExports();
}

/** What the machine computes beside the program is waited for: it ends at a moment that no seed knows. */
function installCrypto(): void {
  const proto = Object.getPrototypeOf(globalThis.crypto.subtle) as Record<string, unknown>;
  for (const name of Object.getOwnPropertyNames(proto)) {
    const plain = proto[name];
    if (name === 'constructor' || typeof plain !== 'function') continue;
    proto[name] = function (this: unknown, ...given: unknown[]) {
      const result = plain.apply(this, given) as unknown;
      const schedule = inside();
      return schedule && result instanceof Promise ? schedule.tracked(result) : result;
    };
  }
}
