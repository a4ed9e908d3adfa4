import type { World } from '../world.ts';

export type TimerKind = 'finish-order' | 'late-command';

/** Plans something for the sandbox's future. Survives restarts. */
export function addTimer(
  world: World,
  inMs: number,
  kind: TimerKind,
  payload: Record<string, unknown>,
): void {
  world.sql.run(
    'INSERT INTO registrar_timers (due_at, kind, payload) VALUES (?, ?, ?)',
    world.now() + inMs,
    kind,
    JSON.stringify(payload),
  );
}

export interface DueTimer {
  id: number;
  kind: TimerKind;
  payload: string;
}

export function dueTimers(world: World): DueTimer[] {
  return world.sql.all<DueTimer>(
    'SELECT id, kind, payload FROM registrar_timers WHERE due_at <= ? ORDER BY due_at, id',
    world.now(),
  );
}

export function removeTimer(world: World, id: number): void {
  world.sql.run('DELETE FROM registrar_timers WHERE id = ?', id);
}
