import { pino } from 'pino';
import { expect, test } from 'vitest';
import { isInBackground } from '../kernel/fairness.ts';
import { createTasks, schedule, type TaskDeps } from './tasks.ts';

test('jobs that nobody waits for let others go first at the registrar; those behind held money do not', async () => {
  const seen = new Map<string, boolean>();
  const noting = (name: string) => async () => void seen.set(name, isInBackground());
  const names = [
    'domains.sync-due',
    'health.sweep',
    'orders.after-success',
    'acme.advance',
    'transfers.poll',
    'changes.run',
    'changes.sweep',
    'moves.sweep',
  ];
  const more = Object.fromEntries([...names, 'transfers.ask'].map((name) => [name, noting(name)]));
  const tasks = createTasks({ logger: pino({ level: 'silent' }), more } as unknown as TaskDeps);
  const id = '019aaaaa-0000-7000-8000-000000000001';
  for (const name of Object.keys(more)) {
    await tasks[name]?.({ organisationId: id, itemId: id, orderId: id, changeId: id });
  }
  expect(Object.fromEntries(seen)).toEqual({
    ...{ 'domains.sync-due': true, 'health.sweep': true, 'transfers.poll': true },
    ...{ 'orders.after-success': false, 'acme.advance': false, 'transfers.ask': false },
    // Somebody looks at how far a change or a list of transfers is.
    ...{ 'changes.run': false, 'changes.sweep': true, 'moves.sweep': false },
  });
  expect(isInBackground()).toBe(false);
});

test('no entry that needs attention outlives its cause by more than a minute, and no work under way waits for longer', () => {
  const eachMinute: readonly string[] = schedule
    .filter(({ match }) => match === '* * * * *')
    .map(({ task }) => task);
  for (const task of ['attention.sweep', 'changes.sweep', 'moves.sweep', 'orders.sweep', 'health.sweep']) {
    expect(eachMinute).toContain(task);
  }
});
