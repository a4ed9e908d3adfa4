import { failpoint } from '#kernel/failpoint.ts';
import { fairnessKey, isInBackground } from '#kernel/fairness.ts';
import type { Fence } from '#kernel/fence.ts';
import { type HttpClient, HttpFailure } from '#kernel/http-client.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Command } from './command-table.ts';
import { createLimiter, NoTurn } from './limiter.ts';
import { Garbage, parseReply, type Reply } from './parse.ts';
import { redact } from './redact.ts';
import { sign } from './sign.ts';
import type { Urgency } from './turn.rules.ts';
import type { XcpAttributes } from './xcp.ts';

export interface ExchangeOptions {
  url: string;
  username: string;
  key: string;
  http: HttpClient;
  limits: { parallel: number; perSecond: number };
  logger?: Logger;
}

/** What became of one call. */
export type Exchange =
  | { kind: 'reply'; reply: Reply }
  /** Certainly not sent. */
  | { kind: 'unsent'; text: string }
  /** Not sent, because its claim was lost. */
  | { kind: 'too-late'; text: string }
  /** Sent, and no answer that can be read. */
  | { kind: 'lost'; text: string };

export interface CallTime {
  waitMs: number;
  callMs: number;
  fresh: boolean;
  /** Of writes. */
  fence?: Fence;
}

/** One call, when its turn has come. Throws only what is a fault of our own. */
export type Send = (
  command: Command,
  attributes: XcpAttributes,
  body: Buffer,
  time: CallTime,
) => Promise<Exchange>;

/** The registrar publishes no rate (§1); after 300 and 310 everything waits this long. */
const restMs = 1_000;

/** Money is held for what changes something, or a person waits at a button. */
function urgencyOf({ fence }: CallTime): Urgency {
  if (fence) return 'change';
  return isInBackground() ? 'sweep' : 'look-up';
}

/** What a call that did not end well means; null: a fault of our own. */
function kindOfFailure(error: unknown): 'unsent' | 'too-late' | 'lost' | null {
  if (error instanceof NoTurn) return 'unsent';
  if (error instanceof Garbage) return 'lost';
  if (!(error instanceof HttpFailure) || error.reason === 'not-allowed') return null;
  if (error.reason === 'too-late') return 'too-late';
  return error.sent ? 'lost' : 'unsent';
}

/** Sends within the limits of the registrar, and says what came back. */
export function createExchange(options: ExchangeOptions): Send {
  const { http, logger, username } = options;
  const limiter = createLimiter(options.limits);

  async function exchange(body: Buffer, time: CallTime): Promise<Exchange> {
    if (time.fence) failpoint('registrar.waiting');
    try {
      const call = () =>
        http.request({
          url: options.url,
          method: 'POST',
          headers: {
            'content-type': 'text/xml',
            'x-username': username,
            'x-signature': sign(body, options.key),
          },
          body,
          timeoutMs: time.callMs,
          freshConnection: time.fresh,
          ...(time.fence ? { fence: time.fence } : {}),
        });
      const response = await limiter.run(fairnessKey(), time.waitMs, call, urgencyOf(time));
      if (response.status !== 200) return { kind: 'lost', text: `HTTP status ${response.status}` };
      const reply = parseReply(response.body);
      if (reply.code === '300' || reply.code === '310') limiter.rest(restMs);
      return { kind: 'reply', reply };
    } catch (error) {
      const text = error instanceof Error ? error.message : '';
      const kind = kindOfFailure(error);
      if (kind === null) throw error;
      return { kind, text };
    }
  }

  return async (command, attributes, body, time) => {
    const beganAt = performance.now();
    const result = await exchange(body, time);
    // The copy for the log takes a third as long as the request's XML.
    if (!logger?.isLevelEnabled('debug')) return result;
    logger.debug(
      {
        registrar: `${command.action} ${command.object}`,
        attributes: redact(attributes),
        ...(result.kind === 'reply'
          ? { code: result.reply.code, says: result.reply.text }
          : { lost: result.text }),
        kind: result.kind,
        tookMs: Math.round(performance.now() - beganAt),
      },
      'registrar call',
    );
    return result;
  };
}
