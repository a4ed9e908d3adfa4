import * as op from '#contracts/operations/attention.ts';
import { type Binding, bind } from '#kernel/binding.ts';
import type { AttentionApi } from './attention.service.ts';

export function attentionRoutes(attention: AttentionApi): Binding[] {
  return [
    bind(op.listAttention, (c) => attention.list(c.scope, c.query)),
    bind(op.countAttention, (c) => attention.counts(c.scope, c.query.customerId)),
    bind(op.changeAttention, (c) => attention.change(c.scope, c.params.id, c.body)),
    bind(op.getDigest, (c) => attention.digest(c.scope)),
    bind(op.setDigest, (c) => attention.setDigest(c.scope, c.body.daily)),
  ];
}
