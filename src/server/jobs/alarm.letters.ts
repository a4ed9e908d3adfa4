import type { Letter } from '#kernel/letters.ts';

/** To the operator, at once: something that no job can put right. */
export function alarmLetter(text: string): Letter {
  return { subject: 'Nameward needs attention', parts: [text] };
}
