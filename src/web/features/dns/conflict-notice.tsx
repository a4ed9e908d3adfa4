import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { type DnsRecord, hostOf, recordData } from '#contracts/values/dns-records.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';
import { type Conflict, recordsIn } from './api.ts';

/** Two people edited the same records: what is there now beside what I want, and nothing typed is lost. */
export function ConflictNotice(props: {
  domain: string;
  conflict: Conflict;
  changes: readonly ZoneChange[];
  saving: boolean;
  onSaveMine: () => void;
  onTakeTheirs: () => void;
}) {
  const { domain, conflict, changes } = props;
  const theirs = recordsIn(conflict.theirs);
  const notice = useRef<HTMLDivElement>(null);
  // A record that is gone takes its form to the end of its group, and the notice out of sight.
  useEffect(() => {
    notice.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <Alert
      ref={notice}
      color="yellow"
      variant="light"
      role="alert"
      title="Someone changed the zone in the meantime"
    >
      <Stack gap="sm">
        {conflict.touched.map(({ index, message }) => {
          const change = changes[index];
          if (!change) return null;
          const { type, subdomain } = change.record;
          const present = theirs.filter((record) => record.type === type && record.subdomain === subdomain);
          return (
            <div key={index}>
              <Text size="sm" fw={600}>
                {type} {hostOf(change.record, domain)}
              </Text>
              <Text size="sm">{message}</Text>
              <Side title="In the zone now" records={present} empty="No such record" />
              <Side
                title="Yours"
                records={change.action === 'remove' ? [] : [change.record]}
                empty={`Delete ${recordData(change.record)}`}
              />
            </div>
          );
        })}
        <Group>
          <Button size="xs" disabled={props.saving} onClick={props.onSaveMine}>
            {props.saving ? 'Saving changes...' : 'Save mine'}
          </Button>
          <Button size="xs" variant="default" disabled={props.saving} onClick={props.onTakeTheirs}>
            Take theirs
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function Side(props: { title: string; records: readonly DnsRecord[]; empty: string }) {
  return (
    <>
      <Text size="xs" mt={4}>
        {props.title}
      </Text>
      <List size="sm" style={{ overflowWrap: 'anywhere' }}>
        {props.records.length === 0 && <List.Item>{props.empty}</List.Item>}
        {props.records.map((record) => (
          <List.Item key={recordData(record)}>{recordData(record)}</List.Item>
        ))}
      </List>
    </>
  );
}
