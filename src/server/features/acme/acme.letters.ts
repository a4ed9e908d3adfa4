import type { Letter } from '#kernel/letters.ts';

/** To the MSP: a machine of a customer did not get its certificate, and only a person can change that. */
export function refusalLetter(
  { names, reason, accessId }: { names: readonly string[]; reason: string; accessId: string },
  publicUrl: string,
): Letter {
  return {
    subject: `No certificate by ACME for ${names[0] ?? ''}`,
    parts: [
      `A customer’s server asked for a certificate for ${names.join(', ')} and did not get one.`,
      reason,
      'The server tries again automatically. You get at most one such email a day for each ACME access. Its log has the others.',
    ],
    button: { text: 'Open ACME access', address: `${publicUrl}/certificates/acme/${accessId}` },
  };
}
