import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import classes from './first-steps.module.css';

/** For an organization without domains: what leads to the first one, and how far it is. */
export function FirstSteps({ customers, hasMoney }: { customers: number; hasMoney: boolean }) {
  const steps = [
    {
      ...{ done: customers > 0, text: 'Add the customer who will own it' },
      ways: [{ label: 'Add Customer', to: '/customers/add' }],
    },
    { done: hasMoney, text: 'Put money on your balance', ways: [{ label: 'Top up', to: '/account' }] },
    {
      ...{ done: false, text: 'Buy a name, or bring a domain from another registrar' },
      ways: [
        { label: 'Search', to: '/domains' },
        { label: 'Transfer', to: '/domain/transfer' },
      ],
    },
  ];
  return (
    <div className={classes.steps}>
      <p>Your first domain takes three steps.</p>
      <ol>
        {steps.map(({ done, text, ways }, at) => (
          <li key={text} data-done={done || undefined}>
            <span className={classes.mark}>
              {done ? <IconCheck size={14} role="img" aria-label="Done" /> : at + 1}
            </span>
            <span>{text}</span>
            {!done &&
              ways.map(({ label, to }) => (
                <Button key={to} component={Link} to={to} size="xs" variant="default">
                  {label}
                </Button>
              ))}
          </li>
        ))}
      </ol>
    </div>
  );
}
