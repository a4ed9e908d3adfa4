import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Memory } from './memory.ts';
import type { Chance } from './random.ts';
import type { Portal, Stand } from './stand.ts';

/** How a request ended for its caller, after all retries. */
export type Ending<T> =
  | { how: 'done'; data: T }
  /** It certainly changed nothing. */
  | { how: 'refused'; status: number; code: string; text: string }
  /** Nobody knows: the answers were lost, or said so. */
  | { how: 'unknown' };

export interface Client {
  ask<T>(method: string, path: string, body?: unknown): Promise<Ending<T>>;
}

const patienceMs = 12_000;
const pauseMs = 250;
/** A process that did not answer gets no requests for so long, as behind a proxy that looks at its health. */
const avoidedMs = 4_000;
/** Nothing happened, and the same request may be sent again. */
const notNow = ['in_progress', 'unavailable', 'upstream_unavailable'];
/** Whether something happened is not said by these. */
const saysNothing = ['no answer', 'internal', 'outcome_unknown', 'request_cut_off'];

interface Answer {
  status: number;
  text: string;
}

/**
 * A caller as they should be: one key for one request, sent again when no answer came, to whichever process answers. Reads
 * every answer for names of other organisations, and asks some requests again after their answer.
 */
export function createClient(
  stand: Stand,
  msp: { name: string; token: string },
  chance: Chance,
  memory: Memory,
): Client {
  async function once(portal: Portal, method: string, path: string, body: unknown, key: string | null) {
    const reply = await fetch(`${portal.url()}/api/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${msp.token}`,
        'content-type': 'application/json',
        ...(key ? { 'idempotency-key': key } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(chance.between(2_000, 6_000) * stand.pace),
    });
    const answer: Answer = { status: reply.status, text: await reply.text() };
    for (const { name } of stand.msps) {
      if (name !== msp.name && answer.text.includes(name)) {
        memory.faults.push(
          `16 nothing of another organisation: ${method} ${path} of ${msp.name} shows ${name}`,
        );
      }
    }
    return answer;
  }

  async function ask<T>(method: string, path: string, body?: unknown): Promise<Ending<T>> {
    const key = method === 'GET' ? null : `round-${randomBytes(8).toString('hex')}`;
    const until = performance.now() + patienceMs * stand.pace;
    let lost = 0;
    for (;;) {
      const portal = balanced(stand, chance);
      const answer = await once(portal, method, path, body, key).catch(() => silent(portal));
      if (answer?.status === 200) {
        await sometimesAgain(method, path, body, key, answer);
        return { how: 'done', data: JSON.parse(answer.text).data as T };
      }
      const code = answer ? codeOf(answer) : 'no answer';
      if (saysNothing.includes(code)) lost += 1;
      else if (answer && !notNow.includes(code)) return refusal(answer, code);
      if (keepsAnswer(code, lost) || performance.now() > until) return given(answer, lost > 0);
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + chance.next())));
    }
  }

  /** What the caller knows after the last answer that they waited for. */
  function given(answer: Answer | null, doubtful: boolean): Exclude<Ending<never>, { how: 'done' }> {
    memory.unanswered += 1;
    return answer && !doubtful ? refusal(answer, codeOf(answer)) : { how: 'unknown' };
  }

  /** 10: the same key and the same contents; sometimes other contents, which are refused. */
  async function sometimesAgain(
    method: string,
    path: string,
    body: unknown,
    key: string | null,
    first: Answer,
  ): Promise<void> {
    if (key === null || !chance.happens(0.15)) return;
    const changed = chance.happens(0.3) ? otherContents(body) : null;
    const sent = changed ?? body;
    const answer = await once(chance.one(stand.portals), method, path, sent, key).catch(() => null);
    if (!answer || answer.status >= 500 || codeOf(answer) === 'in_progress') return;
    if (changed) {
      if (codeOf(answer) !== 'idempotency_key_reused')
        memory.faults.push(`10 same key, other body: ${method} ${path} ${key}: ${answer.text}`);
      return;
    }
    if (answer.status !== 200 || !isDeepStrictEqual(JSON.parse(answer.text), JSON.parse(first.text))) {
      memory.faults.push(
        `10 same key, same reply: ${method} ${path} ${key}: ${first.text} then ${answer.text}`,
      );
    }
  }

  return { ask };
}

const refusal = ({ status, text }: Answer, code: string) => ({ how: 'refused', status, code, text }) as const;

/** Valid contents that are not these; null where none are made up. */
function otherContents(body: unknown): unknown {
  if (body === null || typeof body !== 'object') return null;
  if ('records' in body) return { ...body, reason: 'other contents' };
  if ('price' in body) return { ...body, price: Number(body.price) + 1 };
  return 'amount' in body && !('enabled' in body) ? { ...body, amount: Number(body.amount) + 1 } : null;
}

/** No answer: this process is left alone for a while. */
function silent(portal: Portal): null {
  portal.silentUntil = performance.now() + avoidedMs;
  return null;
}

/** A key that keeps this answer has no other. */
function keepsAnswer(code: string, lost: number): boolean {
  return code === 'request_cut_off' || (code === 'outcome_unknown' && lost > 1);
}

function balanced({ portals }: Stand, chance: Chance): Portal {
  const answering = portals.filter(({ silentUntil }) => silentUntil < performance.now());
  return chance.one(answering.length > 0 ? answering : portals);
}

function codeOf({ status, text }: Answer): string {
  if (status === 200) return '';
  try {
    return String((JSON.parse(text) as { code?: unknown }).code ?? 'internal');
  } catch {
    return 'internal';
  }
}
