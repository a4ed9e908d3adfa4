import type { Change } from '#contracts/operations/changes.ts';
import classes from './change.module.css';
import { presentStep } from './change-words.ts';

const steps = [
  'Choose domains',
  'Describe the change',
  'Review every difference',
  'Apply',
  'Undo, if needed',
];

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
