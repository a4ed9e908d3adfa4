import { Button, Skeleton } from '@mantine/core';
import type { ZoneVersionHead } from '#contracts/operations/dns.ts';
import { ShortAuthor } from '../../ui/author.tsx';
import { Card } from '../../ui/card.tsx';
import { Lately } from '../../ui/date-time.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { useZoneVersions } from './api.ts';
import { changesText } from './change-texts.ts';
import classes from './managed-dns-tab.module.css';

const shown = 6;

/** The latest versions beside the records: what changed, when, who, why. */
export function BeforeThat({ domain, onHistory }: { domain: string; onHistory: () => void }) {
  const versions = useZoneVersions(domain);
  return (
    <Card
      flush
      title="Latest changes"
      end={
        <Button size="compact-sm" variant="subtle" onClick={onHistory}>
          View all
        </Button>
      }
    >
      {versions.data ? (
        <Versions versions={versions.data.slice(0, shown)} />
      ) : versions.error ? (
        <ErrorState error={versions.error} onRetry={versions.refetch} />
      ) : (
        <div className={classes.none} role="status" aria-label="Loading history...">
          <Skeleton height={96} />
        </div>
      )}
    </Card>
  );
}

const notInForce: Partial<Record<ZoneVersionHead['state'], string>> = {
  refused: 'Not made: ',
  unknown: 'Not confirmed: ',
  writing: 'Being saved: ',
};

function Versions({ versions }: { versions: readonly ZoneVersionHead[] }) {
  if (versions.length === 0) {
    return <p className={classes.none}>Every change of the records is kept here.</p>;
  }
  return (
    <ol className={classes.versions}>
      {versions.map(({ id, at, author, reason, state, changes }) => (
        <li key={id} title={reason}>
          <b>
            {notInForce[state]}
            {changesText(changes)}
          </b>
          <span>
            <Lately at={at} /> · <ShortAuthor name={author} />
            {reason && ` · ${reason}`}
          </span>
        </li>
      ))}
    </ol>
  );
}
