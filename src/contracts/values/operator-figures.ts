import type { OperatorFigures } from '../operations/operator.ts';
import { countText, moneyText } from './format.ts';

/** What each figure of the operator counts: on the command line, and for alarms. */
export const figureTexts: Readonly<Record<keyof OperatorFigures, string>> = {
  review: 'Order items whose outcome a person must check',
  oldestReviewSeconds: 'Age of the oldest of them',
  waiting: 'Order items whose outcome the registrar has not reported for an hour',
  failedCharges: 'Automatic top-ups and direct charges that failed',
  refusedRenewals: 'Renewals that were refused and are still due',
  stuckEvents: 'Events of the payment provider that could not be applied',
  debts: 'Organizations whose balance is below zero',
  debtCents: 'What they owe together',
  differences: 'Open differences between registrar, ledger and payments',
  reconciledSecondsAgo: 'Time since the last complete comparison',
  registrarAvailableCents: 'Spendable balance of the account at the registrar, less the orders under way',
  registrarReadSecondsAgo: 'Time since the account at the registrar was read',
};

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** A line for each figure, the figures in front: "3  Order items …", "$12.50  What they owe together", "5 h  Age of …". */
export function figureLines(figures: OperatorFigures): string[] {
  const shown = (Object.keys(figureTexts) as (keyof OperatorFigures)[]).map(
    (name) => [valueText(name, figures[name]), figureTexts[name]] as const,
  );
  const width = Math.max(...shown.map(([value]) => value.length));
  return shown.map(([value, text]) => `${value.padStart(width)}  ${text}`);
}

function valueText(name: string, value: number | null): string {
  if (value === null) return 'never';
  if (name.endsWith('Cents')) return moneyText(value);
  return /seconds/i.test(name) ? spanText(value) : countText(value);
}

/** In the largest unit of which there are two at least. */
function spanText(seconds: number): string {
  if (seconds < 2 * minute) return `${seconds} s`;
  if (seconds < 2 * hour) return `${Math.floor(seconds / minute)} min`;
  return seconds < 2 * day ? `${Math.floor(seconds / hour)} h` : `${Math.floor(seconds / day)} d`;
}
