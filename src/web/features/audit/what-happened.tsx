import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { auditTitle } from '#contracts/values/audit-actions.ts';
import { Author } from '../../ui/author.tsx';
import { Card } from '../../ui/card.tsx';
import { Lately } from '../../ui/date-time.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { useAudit } from './api.ts';
import classes from './what-happened.module.css';

const shown = 8;
/** An id says nothing to a person: the words beside it do. */
const isId = (object: string) => /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(object);

/** The latest entries about one customer: what, of what, by whom, when. */
export function WhatHappened({ customerId }: { customerId: string }) {
  const audit = useAudit({ customerId, page: 1, pageSize: shown, sort: '-at' });
  const rows = audit.data?.rows;
  return (
    <Card
      flush
      title="Recent activity"
      end={
        <Link to="/audit" search={{ customer: customerId }} className={classes.all}>
          View all
        </Link>
      }
    >
      {rows ? (
        rows.length > 0 ? (
          <ul className={classes.log}>
            {rows.map((row) => (
              <li key={row.sequence}>
                <span title={`${auditTitle(row.action)}: ${row.object}, by ${row.actor}`}>
                  <b>{auditTitle(row.action)}</b> {isId(row.object) ? '' : `${row.object} `}by{' '}
                  <Author name={row.actor} />
                </span>
                <Lately at={row.at} />
              </li>
            ))}
          </ul>
        ) : (
          <p className={classes.note}>No changes yet.</p>
        )
      ) : audit.error ? (
        <div className={classes.note}>
          <ErrorState error={audit.error} onRetry={audit.refetch} />
        </div>
      ) : (
        <div className={classes.note} role="status" aria-label="Loading activity...">
          <Skeleton height={160} />
        </div>
      )}
    </Card>
  );
}
