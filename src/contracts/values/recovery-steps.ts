/** The steps of a recovery in their order, by the names that people read. */
export const recoverySteps = {
  payments: 'payments',
  names: 'domains',
  certificates: 'certificates',
  zones: 'DNS zones',
} as const;

export type RecoveryStep = keyof typeof recoverySteps;

/** `Step 3 of 4, certificates: 12 of 930` */
export function recoveryStepText(step: RecoveryStep, done: string, total: string | null): string {
  const names = Object.keys(recoverySteps);
  const place = `Step ${names.indexOf(step) + 1} of ${names.length}`;
  return `${place}, ${recoverySteps[step]}: ${total === null ? done : `${done} of ${total}`}`;
}
