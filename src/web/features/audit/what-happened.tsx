import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Card } from '../../ui/card.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { useAudit } from './api.ts';
import { AuditLines } from './audit-log-lines.tsx';
import classes from './what-happened.module.css';

const shown = 8;

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
          <AuditLines rows={rows} />
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
