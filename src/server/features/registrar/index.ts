import { type BalanceDeps, createBalance } from './balance.ts';
import { createEvents, type EventsDeps } from './events.ts';

/** All that other features may use of the registrar's account. */
export type RegistrarWatch = ReturnType<typeof createRegistrarWatch>;

/** What the registrar tells of its own accord, and our money there. */
export function createRegistrarWatch(deps: EventsDeps & BalanceDeps) {
  const events = createEvents(deps);
  const balance = createBalance(deps);
  return { events, balance, tasks: { ...events.tasks, ...balance.tasks } };
}
