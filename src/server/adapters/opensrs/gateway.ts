import { pause } from '#kernel/clock.ts';
import { isPatient } from '#kernel/fairness.ts';
import type { Fence } from '#kernel/fence.ts';
import { type Outcome, tooLate, UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Command } from './command-table.ts';
import { UnfitInput } from './contacts.ts';
import { createDomainLock } from './domain-lock.ts';
import { IllegalText, serialise } from './envelope.ts';
import { createExchange, type Exchange, type ExchangeOptions } from './exchange.ts';
import { NoTurn } from './limiter.ts';
import { type Meaning, meaningOf, wordsOf } from './outcome.ts';
import type { Reply } from './parse.ts';
import { busyText, pendingText, refusalText } from './texts.ts';
import { text, type XcpAttributes } from './xcp.ts';

export interface GatewayOptions extends ExchangeOptions {
  timeouts: Timeouts;
  /** How often a busy registrar or an unanswered read is asked in all, and the first pause between. */
  repeats?: { attempts: number; firstPauseMs: number };
}

export interface Timeouts {
  /** For a read with its repeats. */
  readMs: number;
  /** For the one call of a write, from connecting to the last byte. */
  writeMs: number;
  /** Longest a write waits for its turn and for a busy registrar before it is given back unsent. */
  waitMs: number;
}

export interface ActCall {
  command: Command;
  /** The claim under which it is made. */
  fence: Fence;
  /** Makes the attributes; what it throws as unfit is refused before anything is sent. */
  attributes: () => XcpAttributes;
  /** Writes to one domain go in order. */
  domain?: string;
  /** Cannot be undone: gets a connection of its own. */
  irreversible?: boolean;
  /** Tidies up what a refusal has left behind; what it cannot do it leaves. */
  afterRefusal?: (reply: Reply) => Promise<void>;
}

/** Sends commands, one at a time or many, and says what is known afterwards. */
export interface Gateway {
  readonly username: string;
  /** Throws `UpstreamUnavailable` or `UpstreamRefused`. `accept` takes a reply whose code no rule names. */
  read(
    command: Command,
    attributes: XcpAttributes,
    options?: { accept?: (reply: Reply) => boolean; timeoutMs?: number },
  ): Promise<Reply>;
  /** Never throws for what the registrar or the network does. `answer` turns a good reply into the outcome. */
  act<T>(
    call: ActCall,
    answer: (reply: Reply, meaning: 'done' | 'pending') => Outcome<T>,
  ): Promise<Outcome<T>>;
  /** Something the operator has to know of. */
  alert(what: string, about: object): void;
}

const defaultRepeats = { attempts: 3, firstPauseMs: 400 };
/** Patient work waits so many times as long for its turn as others wait for the answer. */
const patienceFactor = 3;

const problemOf = (reply: Reply) => `${reply.code} ${wordsOf(reply) ?? ''}`;

const unavailable = ({ action, object }: Command, problem: string) =>
  new UpstreamUnavailable(`registrar: ${action} ${object}: ${problem}`);

export function createGateway(options: GatewayOptions): Gateway {
  const ground = groundOf(options);
  return {
    username: options.username,
    read: createReading(ground),
    act: createActing(ground),
    alert: ground.alert,
  };
}

type Ground = ReturnType<typeof groundOf>;

/** What reads and writes share. */
function groundOf(options: GatewayOptions) {
  const { timeouts, logger } = options;
  const repeats = options.repeats ?? defaultRepeats;

  const alert: Gateway['alert'] = (what, about) => logger?.error({ alert: 'registrar', ...about }, what);

  function refuse(command: Command, reply: Reply, meaning: Meaning & { kind: 'refused' }) {
    const said = wordsOf(reply);
    if (meaning.alert) alert(said ?? 'refused', { code: reply.code, command: command.action });
    const text = meaning.text ?? refusalText(meaning.reason, said);
    return { reason: meaning.reason, code: reply.code, text };
  }

  /** Waits before the next attempt, longer each time, and never beyond the deadline. */
  async function rest(attempt: number, deadlineMs: number): Promise<void> {
    if (attempt >= repeats.attempts) return;
    const delayMs = repeats.firstPauseMs * 3 ** (attempt - 1);
    await pause(Math.max(0, Math.min(delayMs, deadlineMs - performance.now())));
  }

  return { timeouts, logger, repeats, send: createExchange(options), alert, refuse, rest };
}

function createReading({ timeouts, repeats, send, refuse, rest }: Ground): Gateway['read'] {
  /** Whether it is what was asked for; false: it may be another time. Throws what the registrar refuses. */
  function isAnswer(command: Command, reply: Reply): boolean {
    const meaning = meaningOf(reply, command.rules);
    if (meaning.kind !== 'refused') return meaning.kind === 'done';
    const { reason, code, text } = refuse(command, reply, meaning);
    // A closed door is the operator's matter, not the asker's.
    if (meaning.alert) throw unavailable(command, problemOf(reply));
    throw new UpstreamRefused(reason, code, text);
  }

  return async (command, attributes, how = {}) => {
    const body = bodyOrRefusal(command, attributes);
    const callMs = how.timeoutMs ?? timeouts.readMs;
    const deadlineMs = performance.now() + callMs * (isPatient() ? patienceFactor : 1);
    let problem = '';
    for (let attempt = 1; attempt <= repeats.attempts; attempt++) {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) break;
      const time = { waitMs: leftMs, callMs: Math.min(leftMs, callMs), fresh: false };
      const result = await send(command, attributes, body, time);
      if (result.kind === 'reply') {
        const { reply } = result;
        if (how.accept?.(reply) || isAnswer(command, reply)) return reply;
        problem = problemOf(reply);
      } else problem = result.text;
      await rest(attempt, deadlineMs);
    }
    throw unavailable(command, problem);
  };
}

function createActing({ timeouts, logger, repeats, send, refuse, rest }: Ground): Gateway['act'] {
  const lock = createDomainLock();

  async function tryAct<T>(
    call: ActCall,
    attributes: XcpAttributes,
    body: Buffer,
    startBeforeMs: number,
    answer: (reply: Reply, meaning: 'done' | 'pending') => Outcome<T>,
  ): Promise<Outcome<T>> {
    let last: Outcome<T> = { kind: 'busy', code: 'not-sent', text: busyText };
    for (let attempt = 1; attempt <= repeats.attempts; attempt++) {
      const waitMs = startBeforeMs - performance.now();
      if (waitMs <= 0) break;
      const { fence, irreversible = false } = call;
      const time = { waitMs, callMs: timeouts.writeMs, fresh: irreversible, fence };
      const result = await send(call.command, attributes, body, time);
      const outcome = judge(call.command, result, answer);
      // Only what certainly had no effect is sent again, and it is the same attempt still.
      if (outcome.kind === 'refused' && result.kind === 'reply') await call.afterRefusal?.(result.reply);
      if (outcome.kind !== 'busy' || result.kind === 'too-late') return outcome;
      last = outcome;
      await rest(attempt, startBeforeMs);
    }
    return last;
  }

  function judge<T>(
    command: Command,
    result: Exchange,
    answer: (reply: Reply, meaning: 'done' | 'pending') => Outcome<T>,
  ): Outcome<T> {
    if (result.kind === 'too-late') {
      logger?.warn({ command: command.action, why: result.text }, 'not sent: its claim was lost');
      return { kind: 'busy', code: tooLate, text: 'This took too long, and nothing was sent.' };
    }
    if (result.kind === 'unsent') {
      return { kind: 'busy', code: 'not-sent', text: 'The registrar cannot be reached at present.' };
    }
    if (result.kind === 'lost') return { kind: 'unknown', text: result.text };
    const { reply } = result;
    const meaning = meaningOf(reply, command.rules);
    switch (meaning.kind) {
      case 'refused':
        return { kind: 'refused', ...refuse(command, reply, meaning) };
      case 'busy':
        return { kind: 'busy', code: reply.code, text: busyText };
      case 'unknown':
        return { kind: 'unknown', text: `${reply.code} ${wordsOf(reply) ?? ''}` };
      case 'done':
      case 'pending':
        return answer(reply, meaning.kind);
    }
  }

  return async (call, answer) => {
    const { command } = call;
    const startBeforeMs = performance.now() + timeouts.waitMs;
    let attributes: XcpAttributes;
    let body: Buffer;
    try {
      attributes = call.attributes();
      body = serialise(command.action, command.object, attributes);
    } catch (error) {
      if (!(error instanceof UnfitInput || error instanceof IllegalText)) throw error;
      return { kind: 'refused', reason: 'invalid', code: 'not-sent', text: error.message };
    }
    const attempts = () => tryAct(call, attributes, body, startBeforeMs, answer);
    try {
      return await (call.domain ? lock.run(call.domain, timeouts.waitMs, attempts) : attempts());
    } catch (error) {
      if (error instanceof NoTurn) return { kind: 'busy', code: 'not-sent', text: error.message };
      throw error;
    }
  };
}

function bodyOrRefusal(command: Command, attributes: XcpAttributes): Buffer {
  try {
    return serialise(command.action, command.object, attributes);
  } catch (error) {
    if (error instanceof IllegalText) throw new UpstreamRefused('invalid', 'not-sent', error.message);
    throw error;
  }
}

/** Outcome of a command whose reply carries nothing that matters. */
export function plain(reply: Reply, meaning: 'done' | 'pending'): Outcome<void> {
  if (meaning === 'pending') return pendingOf(reply);
  return { kind: 'done', value: undefined };
}

/** Accepted, and under way with the order the reply names. */
export function pendingOf(reply: Reply): Outcome<never> {
  const { attributes } = reply;
  const orderId =
    text(attributes, 'order_id') ?? text(attributes, 'id') ?? text(attributes, 'forced_pending');
  return { kind: 'pending', orderId, text: pendingText };
}
