import type { Settings } from './world.ts';

/** What the next matching API call meets. `before`: it has no effect; `after`: it has, and only the answer is lost. */
export const EFFECTS = [
  'timeout-before',
  'timeout-after',
  'reset-before',
  'reset-after',
  '500-before',
  '500-after',
  '429',
  'slow',
] as const;

export interface NextFault {
  /** Any method if unset. */
  method?: string;
  /** The path begins so, e.g. `/v1/payment_intents`. Any if unset. */
  path?: string;
  effect: (typeof EFFECTS)[number];
  times: number;
  /** For `slow`. */
  delayMs?: number;
}

const SETTING = 'next';

export function addFault(settings: Settings, fault: NextFault): void {
  settings.write(SETTING, [...settings.read<NextFault[]>(SETTING, []), fault]);
}

export function clearFaults(settings: Settings): void {
  settings.write(SETTING, []);
}

/** Takes the first fault that is meant for this call, if any. */
export function takeFault(settings: Settings, method: string, path: string): NextFault | null {
  const faults = settings.read<NextFault[]>(SETTING, []);
  const hit = faults.find(
    (fault) => (!fault.method || fault.method === method) && (!fault.path || path.startsWith(fault.path)),
  );
  if (!hit) return null;
  const rest = faults.map((fault) => (fault === hit ? { ...fault, times: fault.times - 1 } : fault));
  settings.write(
    SETTING,
    rest.filter((fault) => fault.times > 0),
  );
  return hit;
}
