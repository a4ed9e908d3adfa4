import type { RefusalReason } from '../../ports/outcome.ts';
import type { Reply } from './parse.ts';
import { commonRules } from './rules.ts';
import { oneLine, text } from './xcp.ts';

/** What a reply says about the effect of its command. */
export type Meaning =
  | { kind: 'done' }
  | { kind: 'pending' }
  | { kind: 'busy' }
  /** `text` replaces the vendor's where that is not for customers; `alert` is for the operator. */
  | { kind: 'refused'; reason: RefusalReason; text?: string; alert?: boolean };

/** A row of the closed table from reply to meaning (design: order engine no. 4). */
export interface Rule {
  code: string;
  /** Only with this `is_success`; left out where the vendor is known to send both. */
  success?: boolean;
  /** Only where the reply's texts say so. */
  text?: RegExp;
  meaning: Meaning;
}

/** The meaning of a reply; `unknown` for everything the tables do not name. */
export function meaningOf(reply: Reply, rules: readonly Rule[]): Meaning | { kind: 'unknown' } {
  const words = allWords(reply);
  const fits = (rule: Rule) =>
    rule.code === reply.code &&
    (rule.success === undefined || rule.success === reply.success) &&
    (rule.text === undefined || rule.text.test(words));
  return rules.find(fits)?.meaning ?? commonRules.find(fits)?.meaning ?? { kind: 'unknown' };
}

function allWords(reply: Reply): string {
  return oneLine(`${reply.text} ${text(reply.attributes, 'error') ?? ''}`);
}

const longestText = 300;

/** What the registrar says: the detail for bad data (§2.2), the reason below the first line for 487. null: nothing. */
export function wordsOf(reply: Reply): string | null {
  const detail = text(reply.attributes, 'error');
  const [, ...reason] = reply.text.split(/\r?\n/);
  const chosen =
    reply.code === '465' && detail
      ? detail
      : reply.code === '487' && reason.join(' ').trim()
        ? reason.join(' ')
        : reply.text;
  const line = oneLine(chosen);
  if (line === '') return null;
  return line.length > longestText ? `${line.slice(0, longestText - 1)}…` : line;
}
