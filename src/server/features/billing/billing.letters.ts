import { moneyText, utcDayText } from '#contracts/values/format.ts';
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

const stopped = 'Until it is topped up, you cannot buy anything and nothing is renewed automatically.';

/** To the MSP: a bank transfer will not arrive, and what was expected of it is spent. */
export function notArrivedLetter(
  { topUpCents, madeAt, balanceCents }: { topUpCents: number; madeAt: Date; balanceCents: number },
  publicUrl: string,
): Letter {
  return {
    subject: `Your top-up of ${moneyText(topUpCents)} did not arrive`,
    parts: [
      `Your bank did not pay the top-up of ${moneyText(topUpCents)} of ${utcDayText(madeAt)}, and some of it was spent already. Your balance is now ${moneyText(balanceCents)}.`,
      stopped,
    ],
    button: { text: 'Open your balance', address: `${publicUrl}/account` },
  };
}

/** To the MSP: money of a top-up that had arrived went back; nothing else tells them before a purchase or a renewal is refused. */
export function takenBackLetter(
  of: { topUpCents: number; backCents: number; madeAt: Date; balanceCents: number },
  publicUrl: string,
): Letter {
  const { topUpCents, backCents, madeAt, balanceCents } = of;
  return {
    subject: `${moneyText(backCents)} of a top-up was taken back`,
    parts: [
      `Of your top-up of ${moneyText(topUpCents)} of ${utcDayText(madeAt)}, ${moneyText(backCents)} was taken back: by a dispute, a returned payment or a refund. Your balance is now ${moneyText(balanceCents)}.`,
      balanceCents < 0 ? stopped : 'Please check that it still covers your automatic renewals.',
    ],
    button: { text: 'Open your balance', address: `${publicUrl}/account` },
  };
}
