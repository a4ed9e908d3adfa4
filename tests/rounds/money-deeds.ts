import type { Deed } from './deeds.ts';

/** Money that comes in: paid in the browser, given up, and by itself when the balance falls. */

const topUp: Deed = async (worker) => {
  const amount = worker.chance.between(50, 150);
  const started = await worker.client.ask<{ intentSecret: string; topupId: string }>(
    'POST',
    'account/topupv2',
    {
      amount,
    },
  );
  if (started.how !== 'done') return;
  const { topupId, intentSecret } = started.data;
  if (worker.chance.happens(0.2)) {
    worker.told('top-up given up', await worker.client.ask('POST', `account/topup/${topupId}/cancel`));
    return;
  }
  const paymentIntent = intentSecret.split('_secret')[0] ?? '';
  const declined = worker.chance.happens(0.1);
  const paymentMethod = declined ? 'pm_card_visa_chargeDeclined' : 'pm_card_visa';
  await worker.stand.stack
    .control('payments', 'pay', { paymentIntent, paymentMethod })
    .catch(() => undefined);
  if (declined) return;
  worker.told('top-up paid', { how: 'done', data: null });
  worker.memory.topups.push(topupId);
};

const autoBalance: Deed = async (worker) => {
  const setting = worker.chance.happens(0.8)
    ? {
        enabled: true,
        amount: worker.chance.between(100, 120) * 100,
        mark: worker.chance.between(300, 500) * 100,
      }
    : { enabled: false };
  worker.told('automatic top-up set', await worker.client.ask('POST', 'account/auto-balance', setting));
};

export const moneyDeeds: [Deed, number][] = [
  [topUp, 2],
  [autoBalance, 1],
];
