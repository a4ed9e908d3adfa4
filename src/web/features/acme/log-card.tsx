import { Skeleton, Text } from '@mantine/core';
import type { AccessEntry } from '#contracts/operations/acme.ts';
import { eventTitle } from '#contracts/values/acme-access.ts';
import { Card } from '../../ui/card.tsx';
import { Chip } from '../../ui/chip.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { useAccessLog } from './api.ts';
import classes from './log-card.module.css';
import { outcomeTexts } from './texts.ts';

/** What the machines did with an access, newest first, and what they were answered. */
export function LogCard({ accessId }: { accessId: string }) {
  const log = useAccessLog(accessId);
  return (
    <Card title="What happened" flush>
      {log.data ? (
        log.data.length > 0 ? (
          <ol className={classes.log} aria-label="What happened">
            {log.data.map((entry) => (
              <Entry
                key={`${entry.at} ${entry.event} ${entry.outcome} ${entry.identifiers.join()}`}
                entry={entry}
              />
            ))}
          </ol>
        ) : (
          <p className={classes.note}>No machine has used this access yet.</p>
        )
      ) : log.error ? (
        <div className={classes.note}>
          <ErrorState error={log.error} onRetry={log.refetch} />
        </div>
      ) : (
        <div className={classes.note} role="status" aria-label="Loading what happened...">
          <Skeleton height={120} />
        </div>
      )}
    </Card>
  );
}

function Entry({ entry }: { entry: AccessEntry }) {
  const { tone, text } = outcomeTexts[entry.outcome];
  return (
    <li>
      <div className={classes.head}>
        <b>{eventTitle(entry.event)}</b>
        <Chip tone={tone}>{text}</Chip>
        <span className={classes.at}>
          <DateTime at={entry.lastAt} />
          {entry.times > 1 && `, ${entry.times} times`}
        </span>
      </div>
      {entry.identifiers.length > 0 && <div className={classes.names}>{entry.identifiers.join(', ')}</div>}
      {entry.advice !== '' && <Text size="sm">{entry.advice}</Text>}
      {entry.detail !== '' && (
        <Text size="sm" c="dimmed">
          {entry.advice === '' ? entry.detail : `The server received this reply: ${entry.detail}`}
        </Text>
      )}
    </li>
  );
}
