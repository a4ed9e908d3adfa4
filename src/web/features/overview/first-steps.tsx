import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import classes from './first-steps.module.css';

/** For an organization without domains: what leads to the first one, and how far it is. */
export function FirstSteps({ customers, hasMoney }: { customers: number; hasMoney: boolean }) {
  const steps = [
    {
      done: customers > 0,
      text: 'Add the customer who will own it',
      label: 'Add Customer',
      to: '/customers/add',
    },
    { done: hasMoney, text: 'Put money on your balance', label: 'Top up', to: '/account' },
    { done: false, text: 'Find a name and buy it', label: 'Search', to: '/domains' },
    {
      done: false,
      text: 'Or bring a domain that you already own',
      label: 'Transfer a domain',
      to: '/domain/transfer',
    },
  ];
  return (
    <div className={classes.steps}>
      <p>Your first domain takes three steps.</p>
      <ol>
        {steps.map(({ done, text, label, to }, at) => (
          <li key={to} data-done={done || undefined}>
            <span className={classes.mark}>
              {done ? <IconCheck size={14} role="img" aria-label="Done" /> : Math.min(at + 1, 3)}
            </span>
            <span>{text}</span>
            {!done && (
              <Button component={Link} to={to} size="xs" variant="default">
                {label}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
