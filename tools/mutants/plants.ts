import type { Plant } from './bug.ts';
import { plantsInAcme } from './plants/acme.ts';
import { plantsInFleet } from './plants/fleet.ts';
import { planted } from './plants/kinds.ts';
import { plantsInRepositories } from './plants/repositories.ts';

/**
 * Bugs that a mutation tester does not see: one condition of a statement, one guard, one audit entry, one limit, one
 * `await` at a time, never two together. Each names the test file that turns red.
 */
export const plants: readonly Plant[] = [
  ...plantsInRepositories,
  ...plantsInAcme,
  ...plantsInFleet,
  ...planted('src/server/ledger/ledger.ts', 'src/server/ledger/ledger.db.test.ts', ({ without, changed }) => [
    without(`.where('item_id', '=', itemId)\n    .where('organisation_id', '=', organisationId)\n`, 0),
    without(`.where('state', '=', 'open')\n    .returning('cents')`, 0),
    changed(
      `posted_cents - held_cents + least(pending_cents, \${input.pendingLimitCents})`,
      `posted_cents + least(pending_cents, \${input.pendingLimitCents})`,
    ),
    changed(
      `least(pending_cents, \${input.pendingLimitCents}) >= \${totalCents}`,
      `least(pending_cents, \${input.pendingLimitCents}) >= 0`,
    ),
    changed(`least(pending_cents, \${input.pendingLimitCents}) >=`, 'pending_cents >='),
    changed(`eb('held_cents', '+', totalCents)`, `eb('held_cents', '+', 0)`),
    changed('{ heldCents: -priceCents }', '{}'),
    changed('{ heldCents: -heldCents }', '{}'),
    changed(
      '{ pendingCents: -input.pendingCents },\n  );\n}\n\n/**\n * Takes',
      '{},\n  );\n}\n\n/**\n * Takes',
    ),
    changed('if (result.numUpdatedRows !== 1n) throw', 'if (false) throw'),
    changed(` WHERE r.organisation_id = \${of.organisationId})`, ')'),
    changed(`if (!ended) throw`, `if (false) throw`),
  ]),
  ...planted(
    'src/server/features/users/closing.service.ts',
    'src/server/features/users/closing.db.test.ts',
    ({ changed }) => [
      changed('      await requireNothing(tx, scope, now);\n', ''),
      changed('      await forgetJobs(tx);\n', ''),
      changed('if (!mayClose(', 'if (false && !mayClose('),
    ],
  ),
  ...planted(
    'src/server/features/users/closing.repo.ts',
    'src/server/features/users/closing.db.test.ts',
    ({ changed }) => [changed('  await lockToClose(tx, scope);\n', '')],
  ),
  ...[
    ['users/invites.service.ts', 'users/closing.db.test.ts', '        await requireOpen(tx, scope);\n'],
    ['customers/customers.service.ts', 'users/closing.db.test.ts', '      await requireOpen(tx, scope);\n'],
    ['customers/imports.service.ts', 'customers/imports.db.test.ts', '    await requireOpen(tx, scope);\n'],
    ['orders/checkout.ts', 'orders/checkout.db.test.ts', '  await requireOpen(tx, scope);\n'],
    ['health/watched.service.ts', 'users/closing.db.test.ts', '      await requireOpen(tx, scope);\n'],
    [
      ...['operator/corrections.ts', 'operator/corrections.db.test.ts'],
      "      if (waiting.state === 'waiting') await requireOpenToGive(tx, correction);\n",
    ],
    [
      ...['operator/corrections.ts', 'operator/corrections.db.test.ts'],
      '    await requireOpenToGive(tx, asked);\n',
    ],
    [
      ...['billing/topups.repo.ts', 'billing/late-payments.db.test.ts'],
      `  await keepAsItIs(tx, { organisationId: sql<string>\`\${owner}\` });\n`,
    ],
    [
      ...['billing/auto-topup.ts', 'billing/late-payments.db.test.ts'],
      '      await keepAsItIs(tx, { organisationId });\n',
    ],
    ['billing/topup-start.ts', 'billing/topups.db.test.ts', '      await requireOpen(tx, scope);\n'],
    [
      ...['billing/auto-topup.ts', 'billing/auto-topup.db.test.ts'],
      '      await requireOpen(tx, { organisationId });\n',
    ],
  ].flatMap(([file = '', test = '', guard = '']) =>
    planted(`src/server/features/${file}`, `src/server/features/${test}`, ({ changed }) => [
      changed(guard, ''),
    ]),
  ),
  ...planted(
    'src/server/features/orders/items.repo.ts',
    'src/server/features/orders/items.repo.db.test.ts',
    ({ without, changed }) => [
      changed(`id = \${itemId} AND state = 'queued'`, `state = 'queued'`),
      changed(` AND state = 'queued' RETURNING`, ' RETURNING'),
      changed('attempt = attempt + 1', 'attempt = attempt + 0'),
      changed(` AND state = 'held'\n`, '\n'),
      changed('id IN (SELECT order_id FROM claimed) AND ', ''),
      without(`    .where('state', '=', 'sending')\n    .where('attempt', '=', item.attempt)\n`, 0),
      without(`    .where('state', '=', 'sending')\n    .where('attempt', '=', item.attempt)\n`, 1),
      without(`    .where('state', 'in', [...from])\n`),
      without(
        `    // An attempt that was given up may answer late: it must not end a newer one.\n    .where('attempt', '=', item.attempt)\n`,
      ),
      changed(`\n      .where('state', 'in', ['held', 'running']),`, ','),
      without(`    .where('next_check_at', '<=', now)\n`),
      without(`    .where('state', 'in', ['queued', 'sending', 'pending', 'unknown'])\n`),
      without(`    .where('kind', '=', 'certificate')\n`),
      without(`    .where('state', '=', 'succeeded')\n`),
    ],
  ),
  ...planted(
    'src/server/features/orders/checkout.repo.ts',
    'src/server/features/orders/checkout.repo.db.test.ts',
    ({ without, changed }) => [
      without(`    .where('o.created_at', '>=', since)\n`),
      changed(`.where('o.created_at', '>=', since)`, `.where('o.created_at', '>', since)`),
      without(`    .where('o.user_id', '=', userId)\n`),
      without(`    .where('i.state', '<>', 'declined')\n`),
      without(`    .where('kind', '=', 'renewal')\n`),
      without(`    .where('address', '=', address)\n`),
      without(`    .where('state', '=', 'succeeded')\n`),
      changed(`.where('updated_at', '>', since)`, `.where('updated_at', '>=', since)`),
      without(`    .where('state', 'in', openStates)\n`),
      without(`    .where('address', 'in', [...addresses])\n`),
      without(`    .where('user_id', '=', scope.userId)\n`),
      without(`    .where('operation', '=', 'orders.purchase')\n`),
      without(`    .where('key', '=', key)\n`),
      without(`    .where('id', '=', userId)\n`),
    ],
  ),
  ...planted(
    'src/server/features/renewals/renewals.repo.ts',
    'src/server/features/renewals/renewals.repo.db.test.ts',
    ({ without, changed }) => [
      without(`    .where((eb) => eb.or([eb('d.auto_renew', '=', true), eb('a.state', '=', 'ordered')]))\n`),
      changed(`, eb('a.state', '=', 'ordered')]`, ']'),
      ...[0, 1].map((line) =>
        without(
          `    .where('d.status', 'in', ['active', 'expired'])\n    .where('d.missing_since', 'is', null)\n    .where('d.expires_at', '<=', span.until)\n`,
          line,
        ),
      ),
      changed(
        `.where('d.expires_at', '<=', span.until)\n    .where('d.expires_at', '>', span.after)`,
        `.where('d.expires_at', '<', span.until)\n    .where('d.expires_at', '>', span.after)`,
      ),
      changed(`.where('d.expires_at', '>', span.after)`, `.where('d.expires_at', '>=', span.after)`),
      without(`    .where('o.closed_at', 'is', null)\n`),
      changed(`eb('a.next_try_at', '<=', now)`, `eb('a.next_try_at', '<', now)`),
      without(`    .where('attempt', '=', intent.attempt)\n`),
      without(`    .where('expiry_year', '=', intent.expiry_year)\n`),
      without(`    .where('state', 'in', [...from])\n`),
      without(`    .where('i.kind', '=', 'renewal')\n`),
      without(`    .where('i.address', '=', place.address)\n`),
      changed('(i.order_id = o.id OR i.id = any(o.attached))', '(i.order_id = o.id)'),
      without(`    .where('told_at', 'is', null)\n`),
    ],
  ),
  ...planted(
    'src/server/features/direct-billing/charges.repo.ts',
    'src/server/features/direct-billing/charges.repo.db.test.ts',
    ({ without, changed }) => [
      changed(`const cents = item.priceCents + item.markupCents;`, `const cents = item.priceCents;`),
      changed(`if (known) return null;`, `if (known) return known.charge_id;`),
      changed(`if (refunded) return null;`, ''),
      without(`    .where('customer_id', '=', customerId)\n    .orderBy`, 0),
      changed(`eb('next_try_at', '<=', now)`, `eb('next_try_at', '<', now)`),
      changed(
        `eb.and([eb('state', '=', 'failed'), eb('next_try_at', '<=', now)])`,
        `eb('state', '=', 'failed')`,
      ),
      changed(
        `eb.and([eb('state', '=', 'failed'), eb('next_try_at', '<=', now)])`,
        `eb('next_try_at', '<=', now)`,
      ),
      without(`    .where('customer_id', '=', charge.customer_id)\n`),
      without(`    .where('state', 'in', [...openItemStates])\n`),
      without(`    .where('state', '=', 'failed')\n    .returning`, 0),
    ],
  ),
  // What a dispute stops (docs/decisions/0330).
  ...planted(
    'src/server/features/direct-billing/charges.ts',
    'src/server/features/direct-billing/disputes.db.test.ts',
    ({ changed }) => [changed(`row, mayBeSent()`, `row`), changed(`await eachInTurn(unread, readOnce);`, ``)],
  ),
  ...planted(
    'src/server/features/direct-billing/charge-sending.ts',
    'src/server/features/direct-billing/disputes.db.test.ts',
    ({ changed }) => [
      changed(`customer, stopped)`, `customer, false)`),
      changed(`wantsPerson: stopped`, `wantsPerson: false`),
    ],
  ),
  ...planted(
    'src/server/features/direct-billing/refunds.repo.ts',
    'src/server/features/direct-billing/charges.repo.db.test.ts',
    ({ without, changed }) => [
      without(`    .where('charge_id', '=', refund.chargeId)\n`),
      without(`    .where('state', 'in', ['sending', 'done'])\n`),
      changed(`charge.returned_cents >= cents`, `charge.returned_cents > cents`),
      changed(`if (cents === item.cents) return giveUp`, `if (cents < item.cents) return giveUp`),
    ],
  ),
  ...planted('src/server/http/position.ts', 'src/server/http/position.test.ts', ({ changed }) => [
    changed(`operation.reads === 'replica'`, 'true'),
    changed(`typeof told === 'string' ? told : null`, 'null'),
    changed('      await note();\n      throw error;', '      throw error;'),
  ]),
  ...planted(
    'src/server/kernel/db/reading-request.ts',
    'src/server/kernel/db/replicas.db.test.ts',
    ({ without }) => [without('  request.shown = null;\n'), without('  request.askedPrimary = true;\n')],
  ),
  ...planted(
    'src/server/features/tokens/tokens.repo.ts',
    'src/server/features/tokens/tokens.repo.db.test.ts',
    ({ without, changed }) => [
      without(`    .where('t.revoked_at', 'is', null)\n`),
      without(`    .where('t.token_hash', '=', tokenHash)\n`),
      changed(`eb('t.expires_at', '>', now)`, `eb('t.expires_at', '>=', now)`),
      without(`    .where('u.removed_at', 'is', null)\n`),
      without(`    .where('u.disabled_at', 'is', null)\n`),
      without(`    .where('o.closed_at', 'is', null)\n`),
      without(`    .where('c.deleted_at', 'is', null)\n`),
      without(`    .where('pc.deleted_at', 'is', null)\n`),
      without(`    .where('deleted_at', 'is', null)\n`),
      changed(`eb('t.revoked_at', '>', which.since)`, `eb('t.revoked_at', '>=', which.since)`),
    ],
  ),
];
