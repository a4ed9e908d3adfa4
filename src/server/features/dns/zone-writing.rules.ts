import type { Outcome } from '../../ports/outcome.ts';

/** Whether a write may have had its effect, or may have it yet. Only then does it matter what others wrote meanwhile. */
export function mayHaveStruck(kind: Outcome<unknown>['kind']): boolean {
  return kind !== 'refused' && kind !== 'busy';
}
