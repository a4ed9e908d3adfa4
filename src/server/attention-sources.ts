import type { AttentionSources } from '#kernel/attention.ts';
import type { Config } from '#kernel/config.ts';
import { acmeAttention } from './features/acme/index.ts';
import { paymentAttention } from './features/billing/index.ts';
import { certificateAttention } from './features/certificates/index.ts';
import { changeAttention } from './features/changes/index.ts';
import { importAttention } from './features/customers/index.ts';
import { chargeAttention, refundAttention } from './features/direct-billing/index.ts';
import { zoneWriteAttention } from './features/dns/index.ts';
import { registrantAttention, restoreAttention, transferAttention } from './features/domains/index.ts';
import { healthAttention } from './features/health/index.ts';
import { moveAttention, moveDnsAttention } from './features/moves/index.ts';
import { orderAttention } from './features/orders/index.ts';
import { renewalAttention } from './features/renewals/index.ts';

type RenewalDeps = Parameters<typeof renewalAttention>[0];

/** Part of the composition: what each feature brings to the list of attention. */
export function attentionSources(
  config: Config,
  money: Pick<RenewalDeps, 'pricing' | 'pendingLimitCents'>,
): AttentionSources {
  return {
    renewal: renewalAttention({
      ...{ ...money, renewDays: config.autoRenewDays, graceDays: config.periods.graceDays },
    }),
    restore: restoreAttention,
    certificate: certificateAttention,
    acme: acmeAttention,
    transfer: transferAttention(config.transferTimes),
    registrant: registrantAttention,
    charge: chargeAttention,
    refund: refundAttention,
    payment: paymentAttention,
    order: orderAttention,
    import: importAttention,
    'zone-write': zoneWriteAttention,
    health: healthAttention,
    change: changeAttention,
    move: moveAttention,
    'move-dns': moveDnsAttention,
  };
}
