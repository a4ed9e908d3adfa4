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
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    options.destination ?? pino.destination({ fd: 1, sync: false }),
  );
  clearBindings(logger);
  return logger;
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
