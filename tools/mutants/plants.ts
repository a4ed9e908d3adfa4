import type { Plant } from './judge.ts';

const ledger = { in: 'src/server/ledger', test: 'src/server/ledger/ledger.db.test.ts' };

export const plants: readonly Plant[] = [
  { ...ledger, from: `.where('state', '=', 'open')\n    .returning('cents')`, to: `.returning('cents')` },
  { ...ledger, from: `.where('item_id', '=', itemId)\n    .where`, to: `.where` },
  { ...ledger, from: `held_cents: eb('held_cents', '+', totalCents)`, to: `held_cents: eb('held_cents', '+', 0)` },
];
