import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Keys whose values never reach a log, at any depth. */
const secretKeys = [
  'authorization',
  'cookie',
  'password',
  'token',
  'accessToken',
  'refreshToken',
  'authCode',
  'authInfo',
  'EPPCode',
  'domain_auth_info',
  'auth_info',
  'csr',
  'privateKey',
  'secret',
  'intentSecret',
  'client_secret',
  'signedUrl',
  'link',
  'credentials',
];

const isSecret = new Set(secretKeys);
const removed = '[removed]';

/** As pino writes them. Under load several lines are of the same millisecond, whose text takes as long as half of a line. */
function timesOfLines(): () => string {
  let ofMs = Number.NaN;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== ofMs) [ofMs, text] = [nowMs, pino.stdTimeFunctions.isoTime()];
    return text;
  };
}

/** Structured logs with secrets taken out. CR and LF cannot break a line: every record is one JSON line. */
export function createLogger(options: { level: string; destination?: DestinationStream }): Logger {
  const logger = pino(
    {
      level: options.level,
      // Its own wildcards would take longer than some requests (decision 299).
      redact: { paths: secretKeys, censor: removed },
      formatters: { log: withoutSecretsInside },
      serializers: { err: (error) => cleared(pino.stdSerializers.err(error)) },
      base: null,
      timestamp: timesOfLines(),
    },
    options.destination ??
      linesTogether(
        pino.destination({ fd: 1, sync: false, minLength: togetherBytes, maxLength: mostHeldBytes }),
      ),
  );
  clearBindings(logger);
  return logger;
}

/** How long a line may wait for others, and how many bytes of them. */
const togetherMs = 100;
const togetherBytes = 8_192;
/** What waits at most where the reader of the log has stopped reading. Further lines are lost, and counted. */
const mostHeldBytes = 8_388_608;
/** Pino's number of the level `warn`. */
const warning = 40;

/** The part of a destination of pino with a `minLength` that is used here. */
interface Held extends DestinationStream {
  flush(): void;
  flushSync(): void;
  on(event: 'write', listener: (bytes: number) => void): unknown;
  on(event: 'drain', listener: () => void): unknown;
  on(event: 'drop', listener: (line: string) => void): unknown;
}

/**
 * Lines of a tenth of a second go out in one write: each write wakes a thread, this process and the reader of the log (decision 304).
 * A warning, and what is worse, goes out at once with all before it. The end of the process writes what is held. Lines are lost where a
 * process is killed, and where nobody reads them.
 */
export function linesTogether(out: Held): DestinationStream {
  let held = 0;
  let lost = 0;
  let isDue = false;
  const flushSoon = () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      out.flush();
    }, togetherMs).unref();
  };
  out.on('write', (bytes) => {
    held -= bytes;
  });
  out.on('drop', (line) => {
    held -= Buffer.byteLength(line);
    lost += 1;
  });
  // It ignores a flush while it writes.
  out.on('drain', () => {
    if (lost > 0) {
      const line = lineOfLost(lost);
      lost = 0;
      held += Buffer.byteLength(line);
      out.write(line);
    }
    if (held > 0) flushSoon();
  });
  return Object.assign(
    {
      lastLevel: 0,
      write(line: string) {
        held += Buffer.byteLength(line);
        out.write(line);
        if (this.lastLevel >= warning) out.flush();
        else flushSoon();
      },
      // Asked for by pino after a line of level fatal.
      flushSync() {
        out.flushSync();
        held = 0;
      },
    },
    { [pino.symbols.needsMetadataGsym]: true },
  );
}

/** As pino writes one, of the level `warn`. */
function lineOfLost(lines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: warning, time, lines, msg: 'lines of the log were lost: nobody read them' })}\n`;
}

/** What a logger of a part says with each line is written when the logger is made, and meets no formatter (pino 10.4). */
function clearBindings(logger: Logger): void {
  for (const name of ['child', 'setBindings'] as const) {
    const plain = logger[name] as (bindings: object, ...rest: readonly unknown[]) => unknown;
    const value = function (this: Logger, bindings: Record<string, unknown>, ...rest: readonly unknown[]) {
      return plain.call(this, withoutSecretsInside(bindings), ...rest);
    };
    Object.defineProperty(logger, name, { value });
  }
}

/** What a line says at the top is cleared by its key. Most lines hold nothing else, and stay the object that they are. */
function withoutSecretsInside(line: Record<string, unknown>): Record<string, unknown> {
  let copy = line;
  for (const [key, value] of Object.entries(line)) {
    // `err` is cleared as what is written of it, which is not the error itself.
    if (typeof value !== 'object' || value === null || key === 'err') continue;
    if (copy === line) copy = { ...line };
    copy[key] = cleared(value);
  }
  return copy;
}

/** A line is written whatever it holds: something that cannot be read takes nothing else with it. */
function cleared(value: unknown): unknown {
  try {
    return withoutSecrets(value, new Map());
  } catch {
    return '[unreadable]';
  }
}

/** `known`: what has been cleared already, so that a circle ends. */
function withoutSecrets(value: unknown, known: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // Dates and the like say themselves what is written of them.
  if ('toJSON' in value && typeof value.toJSON === 'function') return withoutSecrets(value.toJSON(), known);
  if (known.has(value)) return known.get(value);
  known.set(value, '[circular]');
  const copy = Array.isArray(value)
    ? value.map((one) => withoutSecrets(one, known))
    : Object.fromEntries(
        Object.entries(value).map(([key, one]) => [
          key,
          isSecret.has(key) ? removed : withoutSecrets(one, known),
        ]),
      );
  known.set(value, copy);
  return copy;
}
