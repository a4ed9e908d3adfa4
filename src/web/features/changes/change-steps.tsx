import type { Change } from '#contracts/operations/changes.ts';
import classes from './change.module.css';

const steps = [
  'Choose domains',
  'Describe the change',
  'Review every difference',
  'Apply',
  'Undo, if needed',
];

/** Which of the steps is the present one. Where a change is made, domains are chosen and it is described on one screen. */
function presentStep(change: Pick<Change, 'state'> | null): number {
  if (!change) return 0;
  return { draft: 2, ready: 2, running: 3, paused: 3, partly: 3, done: 4, cancelled: 4, undone: 5 }[
    change.state
  ];
}

/** Where one is on the way from a wish to its end. */
export function ChangeSteps({ change }: { change: Change | null }) {
  const present = presentStep(change);
  return (
    <ol className={classes.steps} aria-label="Steps">
      {steps.map((step, index) => {
        const isDone = index < present;
        return (
          <li
            key={step}
            data-done={isDone || undefined}
            aria-current={index === present ? 'step' : undefined}
          >
            <span aria-hidden>{isDone ? '✓' : index + 1}</span>
            {step}
            {index === 0 && change && <b className="number">{change.counts.total}</b>}
          </li>
        );
      })}
    </ol>
  );
}
