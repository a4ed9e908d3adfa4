import type { Letter } from '#kernel/letters.ts';

export type AutoTopupNews = 'limit' | 'declined' | 'off' | 'reversed';

const texts: Record<AutoTopupNews, string> = {
  limit: 'Auto balance topped up three times within 24 hours and is now paused.',
  declined: 'Your payment method was declined. Auto balance tries again in 24 hours.',
  off: 'Your payment method was declined or needs your confirmation. Auto balance is now off. Please top up manually.',
  reversed:
    'An automatic top-up was disputed, returned or refunded. Auto balance is now off, so that your payment method is not charged again. Turn it on again when this is settled.',
};

/** To the MSP: the prepaid balance is no longer topped up as it was set. */
export function autoTopupLetter(news: AutoTopupNews, publicUrl: string): Letter {
  return {
    subject: 'About your prepaid balance',
    parts: [texts[news]],
    button: { text: 'Open your balance', address: `${publicUrl}/account` },
  };
}
