import type { AttentionItem } from '#contracts/operations/attention.ts';
import { type AttentionFacts, attentionCauses, attentionRules, ruleOf } from '#contracts/values/attention.ts';
import { isoText } from '#contracts/values/format.ts';
import { holds, isLimited, type Scope } from '#kernel/scope.ts';
import type { ShownItem } from './attention.repo.ts';
import { heedsPutOff, severityOf } from './attention.rules.ts';

/** The causes that the caller may see. */
export const causesOf = (scope: Scope) =>
  attentionCauses.filter((cause) => holds(scope, attentionRules[cause].permission));

/** An item in the words of this moment. Field by field, without spreading: a page has fifty of them. */
export function shown(row: ShownItem, now: Date, scope: Scope): AttentionItem {
  const { id, cause, rank, address, customerId, deadline, snoozedUntil } = row;
  const customer = row.customer ?? '';
  const rule = ruleOf(cause);
  const facts = row.facts as never;
  const { title, detail, when } = rule.words(facts, {
    address,
    customer,
    deadline,
    now,
    isCustomers: isLimited(scope),
  });
  return {
    id,
    cause,
    severity: severityOf(rank),
    name: address,
    customerId,
    customer,
    title,
    detail,
    when,
    deadline: deadline ? isoText(deadline) : null,
    openedAt: isoText(row.openedAt),
    owner: row.ownerId ? { userId: row.ownerId, name: row.ownerName || (row.ownerEmail ?? '') } : null,
    snoozedUntil:
      snoozedUntil && snoozedUntil > now && heedsPutOff(scope.role) ? isoText(snoozedUntil) : null,
    version: row.version,
    action: rule.action(facts, address),
    renewal: cause === 'renewal' ? renewalOf(row.facts as AttentionFacts['renewal']) : null,
  };
}

const renewalOf = ({ autoRenew, expiresAt }: AttentionFacts['renewal']) => ({
  autoRenew,
  expireDate: expiresAt,
});
