import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Keys whose values never reach a log, at any of the usual depths. */
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

/** Structured logs with secrets taken out. CR and LF cannot break a line: every record is one JSON line. */
export function createLogger(options: { level: string; destination?: DestinationStream }): Logger {
  const paths = secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);
  return pino(
    {
      level: options.level,
      redact: { paths, censor: '[removed]' },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    options.destination ?? pino.destination({ fd: 1, sync: false }),
  );
}
