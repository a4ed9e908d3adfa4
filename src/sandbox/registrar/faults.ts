import { z } from 'zod';
import { fitsGlob } from './glob.ts';
import type { World } from './world.ts';
import { failed, textOf, type XcpReply, type XcpRequest } from './xcp.ts';

const EFFECTS = [
  // refused, nothing done
  'refuse',
  'nofunds',
  'taken',
  'busy',
  '705',
  'rate',
  'connections',
  'code',
  // done otherwise than asked for
  'forcedpending',
  'async',
  // no answer
  'timeout-before',
  'timeout-after',
  'late',
  'drop-before',
  'drop-after',
  // done, but badly answered
  '705-after',
  'garbage',
  'empty',
  'truncated',
  'cut',
  'no-length',
  'slow',
] as const;
type Effect = (typeof EFFECTS)[number];

export const faultRuleSchema = z.strictObject({
  action: z.string().optional(),
  object: z.string().optional(),
  /** A name or a glob, e.g. `*-test.com`. */
  domain: z.string().optional(),
  effect: z.enum(EFFECTS),
  /** How many commands it hits; 0 = until cleared. */
  times: z.int().min(0).default(1),
  /** Waits so long before anything else; the length of `slow`. */
  delayMs: z.int().min(0).optional(),
  /** For the effect `code`. */
  code: z.int().optional(),
  text: z.string().optional(),
});
export type FaultRule = z.output<typeof faultRuleSchema>;

export interface Fault {
  effect: Effect;
  delayMs: number;
  code?: number | undefined;
  text?: string | undefined;
}

/** The words of names, and how many commands of a kind each spoils. Longer ones first. */
const words: [word: string, effect: Effect | null, times: number][] = [
  // Not faults of a command but facts of the name: they only keep `late` and `taken` from matching inside.
  ['taken-late', null, 0],
  ['timeout-before', 'timeout-before', 1],
  ['timeout-after', 'timeout-after', 1],
  ['forcedpending', 'forcedpending', 1],
  ['drop-before', 'drop-before', 1],
  ['drop-after', 'drop-after', 1],
  ['timedout-after', '705-after', 1],
  ['truncated', 'truncated', 1],
  ['garbage', 'garbage', 1],
  ['nofunds', 'nofunds', 1],
  ['refuse', 'refuse', 1],
  ['empty', 'empty', 1],
  ['async', 'async', 1],
  ['busy', 'busy', 2],
  ['late', 'late', 1],
  // Not the bare number: names like `item-705.com` mean nothing by it.
  ['timedout', '705', 1],
  ['slow', 'slow', 1],
];

/** Names spoil orders only; everything else is scripted by call. */
const ordering = ['SW_REGISTER', 'RENEW'];

/** The fault that this command is to suffer, used up by being told. */
export function takeFault(world: World, request: XcpRequest): Fault | null {
  return world.sql.transaction(() => takeRule(world, request) ?? takeWord(world, request));
}

function takeRule(world: World, request: XcpRequest): Fault | null {
  const rows = world.sql.all<{ id: number; rule: string; remaining: number }>(
    'SELECT id, rule, remaining FROM registrar_faults ORDER BY id',
  );
  for (const row of rows) {
    const rule = JSON.parse(row.rule) as FaultRule;
    if (!matches(rule, request)) continue;
    if (row.remaining === 1) world.sql.run('DELETE FROM registrar_faults WHERE id = ?', row.id);
    else if (row.remaining > 1) {
      world.sql.run('UPDATE registrar_faults SET remaining = remaining - 1 WHERE id = ?', row.id);
    }
    const slow = rule.effect === 'slow' ? world.knobs().slowMs : 0;
    return { effect: rule.effect, delayMs: rule.delayMs ?? slow, code: rule.code, text: rule.text };
  }
  return null;
}

function matches(rule: FaultRule, request: XcpRequest): boolean {
  if (rule.action && rule.action.toUpperCase() !== request.action) return false;
  if (rule.object && rule.object.toUpperCase() !== request.object) return false;
  return !rule.domain || fitsGlob(rule.domain.toLowerCase(), request.domain);
}

function takeWord(world: World, request: XcpRequest): Fault | null {
  if (!ordering.includes(request.action)) return null;
  // A name that spoils its registration says nothing about its certificate: there the word has `ssl-` before it.
  const before = request.object === 'TRUST_SERVICE' ? '-ssl-' : '(?<!-ssl|-ssl-always)-';
  let rest = `-${request.domain.split('.').slice(0, -1).join('-')}-`;
  let found: Fault | null = null;
  let delayMs = 0;
  for (const [word, effect, times] of words) {
    const match = new RegExp(`${before}(always-)?${word}\\d*-`).exec(rest);
    if (!match) continue;
    rest = rest.replace(match[0], '-');
    if (!effect || (found && effect !== 'slow')) continue;
    if (!match[1] && !countUse(world, request, word, times)) continue;
    if (effect === 'slow') delayMs = world.knobs().slowMs;
    found ??= { effect, delayMs: 0 };
  }
  return found && { ...found, delayMs };
}

/** Whether this kind of command may still be spoiled for this name, counting this one. */
function countUse(world: World, request: XcpRequest, word: string, times: number): boolean {
  const row = world.sql.get<{ times: number }>(
    `INSERT INTO registrar_fault_uses VALUES (?, ?, ?, 1)
     ON CONFLICT (domain, command, word) DO UPDATE SET times = times + 1 RETURNING times`,
    request.domain,
    `${request.action} ${request.object}`,
    word,
  );
  return (row?.times ?? 0) <= times;
}

export function addRule(world: World, rule: FaultRule): void {
  world.sql.run(
    'INSERT INTO registrar_faults (rule, remaining) VALUES (?, ?)',
    JSON.stringify(rule),
    rule.times,
  );
}

/** The reply of a fault that refuses without doing anything; null for the others. */
export function refusalOf(fault: Fault, request: XcpRequest): XcpReply | null {
  switch (fault.effect) {
    case 'refuse':
      return refused(request);
    case 'nofunds':
      return failed(440, 'Registration Failed: over quota');
    case 'taken':
      return failed(485, 'Domain taken');
    case 'busy':
      return failed(486, 'Domain is in a processing state, please try again');
    case '705':
      return failed(705, 'Timed out, resubmit request.');
    case 'rate':
      return failed(300, 'Maximum command rate exceeded, command deferred');
    case 'connections':
      return failed(310, 'Maximum number of simultaneous connections exceeded');
    case 'code':
      return { ...failed(fault.code ?? 400, fault.text ?? 'Internal server error.') };
    default:
      return null;
  }
}

function refused(request: XcpRequest): XcpReply {
  if (request.action === 'RENEW') return failed(480, 'Renewals not supported for this TLD');
  if (textOf(request.attributes, 'reg_type') === 'transfer') {
    return failed(
      487,
      'Domain not transferable\nDomain status clientTransferProhibited does not allow for transfer',
    );
  }
  return failed(465, 'Registration Failed: Invalid data', {
    error: 'owner.address1: the registry does not accept this address\nowner.postal_code: unknown',
  });
}
