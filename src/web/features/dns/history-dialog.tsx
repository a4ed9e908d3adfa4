import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Zone, ZoneVersionHead } from '#contracts/operations/dns.ts';
import { hostOf, recordData, recordKey } from '#contracts/values/dns-records.ts';
import { momentText } from '#contracts/values/format.ts';
import { changesBetween, flatRecords, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { putBack, type RecordDifference } from '#contracts/values/zone-difference.ts';
import { Author } from '../../ui/author.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { recordsIn, useExportZone, useZoneVersion, useZoneVersions } from './api.ts';
import { ChangeReview } from './change-review.tsx';
import { changesText } from './change-texts.ts';
import classes from './history-dialog.module.css';
import { RecordSkeleton } from './record-table.tsx';
import type { ZoneEditor } from './use-zone-editor.ts';

interface HistoryProps {
  domain: string;
  zone: Zone;
  mayEdit: boolean;
  /** Collects instead of saving, where changes are collected. */
  onCollect: ((changes: readonly ZoneChange[]) => void) | null;
  onSaved: ZoneEditor['saved'];
  onClose: () => void;
}

const states: Record<ZoneVersionHead['state'], { text: string; color: string }> = {
  applied: { text: 'Saved', color: 'gray' },
  found: { text: 'Found', color: 'gray' },
  staged: { text: 'Prepared', color: 'gray' },
  refused: { text: 'Not made', color: 'red' },
  unknown: { text: 'Not confirmed', color: 'yellow' },
  writing: { text: 'Being saved', color: 'yellow' },
};

/** What the records were, newest first: when, by whom, why; any of it can be compared and restored. */
export default function HistoryDialog(props: HistoryProps) {
  const versions = useZoneVersions(props.domain);
  const [chosen, setChosen] = useState<ZoneVersionHead | null>(null);
  const [back, setBack] = useState<PuttingBack | null>(null);
  if (back) {
    const { domain, zone, onCollect, onSaved } = props;
    return <PutBackReview {...{ domain, zone, onCollect, onSaved, ...back }} onClose={() => setBack(null)} />;
  }
  if (chosen) return <Comparison {...props} head={chosen} onClose={() => setChosen(null)} />;
  return (
    <Dialog opened onClose={props.onClose} title="History" size="xl">
      {versions.error && !versions.data ? (
        <ErrorState error={versions.error} onRetry={versions.refetch} />
      ) : !versions.data ? (
        <RecordSkeleton />
      ) : versions.data.length === 0 ? (
        <EmptyState title="No changes yet" text="Every change of the records is kept here." />
      ) : (
        <Versions {...props} versions={versions.data} onCompare={setChosen} onPutBack={setBack} />
      )}
    </Dialog>
  );
}

export interface PuttingBack {
  change: ZoneChange;
  reason: string;
}

/** One record as it was before somebody changed it: the same preview as for every change. */
export function PutBackReview(
  props: PuttingBack & {
    domain: string;
    zone: Zone;
    onCollect: ((changes: readonly ZoneChange[]) => void) | null;
    onSaved: ZoneEditor['saved'];
    onClose: () => void;
  },
) {
  const { change, domain, zone, ...rest } = props;
  const { type } = change.record;
  return (
    <ChangeReview
      {...rest}
      domain={domain}
      title={`Put back the ${type} record for ${hostOf(change.record, domain)}`}
      base={zone}
      changes={[change]}
    />
  );
}

function Versions(
  props: HistoryProps & {
    versions: readonly ZoneVersionHead[];
    onCompare: (head: ZoneVersionHead) => void;
    onPutBack: (chosen: PuttingBack) => void;
  },
) {
  const exporting = useExportZone(props.domain);
  return (
    <ol className={classes.versions} aria-label="Versions">
      {props.versions.map((head) => (
        <li key={head.id}>
          <div className={classes.head}>
            <div className={classes.what}>
              <Group gap="xs">
                <strong>{changesText(head.changes)}</strong>
                {head.state !== 'applied' && (
                  <Badge variant="light" size="sm" color={states[head.state].color}>
                    {states[head.state].text}
                  </Badge>
                )}
              </Group>
              <p>
                <DateTime at={head.at} /> by <Author name={head.author} />
                {head.reason && <> · {head.reason}</>}
              </p>
            </div>
            {head.version === props.zone.version ? (
              <Text size="sm" c="dimmed">
                As it is now
              </Text>
            ) : (
              <Group gap="xs" wrap="nowrap">
                <Button size="compact-sm" variant="default" onClick={() => props.onCompare(head)}>
                  Compare
                </Button>
                <Button
                  size="compact-sm"
                  variant="default"
                  disabled={exporting.isPending}
                  onClick={() => exporting.mutate(head.id)}
                >
                  Export
                </Button>
              </Group>
            )}
          </div>
          <ChangedRecords {...props} head={head} />
          <Text size="xs" c="dimmed">
            {head.records === 1 ? '1 record' : `${head.records} records`} afterwards
          </Text>
        </li>
      ))}
    </ol>
  );
}

/** Each record that a version changed, with a way to have the former one back. */
function ChangedRecords(
  props: HistoryProps & { head: ZoneVersionHead; onPutBack: (chosen: PuttingBack) => void },
) {
  const { domain, head } = props;
  const present = recordsIn(props.zone);
  const inForce = head.state === 'applied' || head.state === 'found' || head.state === 'staged';
  const differences = (head.changes?.first ?? []) as RecordDifference[];
  const total = head.changes ? head.changes.added + head.changes.changed + head.changes.removed : 0;
  return (
    <ul className={classes.changed} aria-label="Changed records">
      {differences.map((difference) => {
        const { action, record, old } = difference;
        const back = props.mayEdit && inForce ? putBack(difference, present) : null;
        return (
          <li key={`${action} ${recordKey(record)}`}>
            <span title={recordData(record)}>
              <b>{words[action]}</b> {record.type} {record.subdomain || '@'}{' '}
              {old && (
                <>
                  <del>{recordData(old)}</del>{' '}
                </>
              )}
              {recordData(record)}
            </span>
            {back && (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`Put back the ${record.type} record for ${hostOf(record, domain)}`}
                onClick={() => props.onPutBack({ change: back, reason: backReason(head) })}
              >
                Put back
              </Button>
            )}
          </li>
        );
      })}
      {total > differences.length && <li>{`and ${total - differences.length} more`}</li>}
    </ul>
  );
}

const words = { add: 'Added', update: 'Changed', remove: 'Deleted' };

/** Kept with the version that puts something back. */
const backReason = ({ at }: { at: string }) => `Restored to the state before ${momentText(new Date(at))}`;

function Comparison(props: HistoryProps & { head: ZoneVersionHead }) {
  const { domain, zone, head } = props;
  const version = useZoneVersion(domain, head.id);
  const when = momentText(new Date(head.at));
  if (version.data) {
    const changes = changesBetween(recordsIn(zone), flatRecords(version.data.content));
    return (
      <ChangeReview
        {...{ domain, changes, onCollect: props.onCollect, onSaved: props.onSaved, onClose: props.onClose }}
        title={`Restore the version of ${when}`}
        base={zone}
        reason={`Restored the version of ${when}`}
        intro={<Text size="sm">These changes bring the records back to that version.</Text>}
      />
    );
  }
  return (
    <Dialog opened onClose={props.onClose} title="History" size="lg">
      <Stack>
        {version.error ? <ErrorState error={version.error} onRetry={version.refetch} /> : <RecordSkeleton />}
      </Stack>
    </Dialog>
  );
}
