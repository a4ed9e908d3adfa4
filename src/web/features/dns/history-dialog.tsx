import { Badge, Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Zone, ZoneVersionHead } from '#contracts/operations/dns.ts';
import { changesBetween, flatRecords } from '#contracts/values/zone-changes.ts';
import { Author } from '../../ui/author.tsx';
import { DateTime, dateAndTime } from '../../ui/date-time.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { recordsIn, useExportZone, useZoneVersion, useZoneVersions } from './api.ts';
import { ChangeReview } from './change-review.tsx';
import { RecordSkeleton } from './record-table.tsx';

interface HistoryProps {
  domain: string;
  zone: Zone;
  onSaved: (before: Zone, after: Zone) => void;
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
  if (chosen) return <Comparison {...props} head={chosen} onClose={() => setChosen(null)} />;
  return (
    <Modal opened onClose={props.onClose} title="History" size="xl">
      {versions.error && !versions.data ? (
        <ErrorState error={versions.error} onRetry={versions.refetch} />
      ) : !versions.data ? (
        <RecordSkeleton />
      ) : versions.data.length === 0 ? (
        <EmptyState title="No changes yet" text="Every change of the records is kept here." />
      ) : (
        <Versions {...props} versions={versions.data} onCompare={setChosen} />
      )}
    </Modal>
  );
}

function Versions(
  props: HistoryProps & { versions: readonly ZoneVersionHead[]; onCompare: (head: ZoneVersionHead) => void },
) {
  const exporting = useExportZone(props.domain);
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table aria-label="Versions" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>When</Table.Th>
            <Table.Th>Who and why</Table.Th>
            <Table.Th>Records</Table.Th>
            <Table.Th>Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {props.versions.map((head) => (
            <Table.Tr key={head.id}>
              <Table.Td>
                <DateTime at={head.at} />
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Text size="sm">
                  <Author name={head.author} />
                </Text>
                <Text size="sm" c="dimmed">
                  {head.reason}
                </Text>
              </Table.Td>
              <Table.Td>
                <Group gap="xs">
                  <span className="number">{head.records}</span>
                  <Badge variant="light" size="sm" color={states[head.state].color}>
                    {states[head.state].text}
                  </Badge>
                </Group>
              </Table.Td>
              <Table.Td>
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
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Comparison(props: HistoryProps & { head: ZoneVersionHead }) {
  const { domain, zone, head } = props;
  const version = useZoneVersion(domain, head.id);
  const when = dateAndTime(new Date(head.at));
  if (version.data) {
    const changes = changesBetween(recordsIn(zone), flatRecords(version.data.content));
    return (
      <ChangeReview
        {...{ domain, changes, onSaved: props.onSaved, onClose: props.onClose }}
        title={`Restore the version of ${when}`}
        base={zone}
        reason={`Restored the version of ${when}`}
        intro={<Text size="sm">What would have to change for the records to be as they were then.</Text>}
      />
    );
  }
  return (
    <Modal opened onClose={props.onClose} title="History" size="lg">
      <Stack>
        {version.error ? <ErrorState error={version.error} onRetry={version.refetch} /> : <RecordSkeleton />}
      </Stack>
    </Modal>
  );
}
