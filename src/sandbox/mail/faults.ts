import { z } from 'zod';

/** How the mail server behaves for one recipient, by the name before the `@` or by a scripted fault. */
export interface Refusal {
  /** SMTP reply code: 5xx for good, 4xx for now. */
  code: number;
  message: string;
}

export const faultBody = z.strictObject({
  /** `refuse`: 550 for good; `tempfail`: 451 for now; `drop`: takes the message, then hangs up without a reply. */
  mode: z.enum(['refuse', 'tempfail', 'drop']),
  /** For how many messages. */
  times: z.int().min(0).max(10_000).default(1),
});

export type Fault = z.output<typeof faultBody>;

export interface Faults {
  set(fault: Fault): void;
  /** What a recipient's address alone makes the server answer; null: it is taken. */
  forRecipient(address: string): Refusal | null;
  /** The scripted fault for this message, which is used up by asking. */
  take(): Fault['mode'] | null;
  clear(): void;
}

export function createFaults(): Faults {
  let scripted: Fault | null = null;
  const knocked = new Set<string>();
  return {
    set(fault) {
      scripted = { ...fault };
    },
    forRecipient(address) {
      const name = address.split('@')[0]?.split('+')[0]?.toLowerCase();
      if (name === 'bounce') return { code: 550, message: '5.1.1 No such mailbox here' };
      if (name === 'tempfail')
        return { code: 451, message: '4.3.0 Mailbox is not available, try again later' };
      if (name === 'greylist' && !knocked.has(address)) {
        knocked.add(address);
        return { code: 451, message: '4.7.1 Greylisted, try again later' };
      }
      return null;
    },
    take() {
      if (!scripted || scripted.times === 0) return null;
      scripted.times -= 1;
      return scripted.mode;
    },
    clear() {
      scripted = null;
      knocked.clear();
    },
  };
}
