import { Button, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MoveLine, MoveZone } from '#contracts/operations/moves.ts';
import { type DnsRecord, recordData } from '#contracts/values/dns-records.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { FailureText } from '../../ui/failure.tsx';
import { SideSheet } from '../../ui/side-sheet.tsx';
import { servedAsShown, useChangeLines, useMoveZone } from './api.ts';
import classes from './move-lines.module.css';
import { mayAccept } from './texts.ts';

/** The records that were read of a zone, what cannot be held here, and what differs after the move. */
export function ZoneSheet(props: { moveId: string; line: MoveLine | null; onClose: () => void }) {
  const { line } = props;
  return (
    <SideSheet title={`Records of ${line?.domain ?? ''}`} opened={line !== null} onClose={props.onClose}>
      {line && <Zone moveId={props.moveId} line={line} onClose={props.onClose} />}
    </SideSheet>
  );
}

function Zone({ moveId, line, onClose }: { moveId: string; line: MoveLine; onClose: () => void }) {
  const zone = useMoveZone(moveId, line.id);
  const change = useChangeLines(moveId);
  const { data } = zone;
  if (data) {
    // Beside the answers that it is about: what the person takes upon themselves is what they see.
    return (
      <Contents zone={data}>
        {mayAccept(line) && (
          <Button
            size="xs"
            variant="default"
            disabled={change.isPending}
            onClick={() => change.mutate(servedAsShown(line, data), { onSuccess: onClose })}
          >
            Serve its records here
          </Button>
        )}
        <FailureText error={change.error} />
      </Contents>
    );
  }
  if (zone.error) return <ErrorState error={zone.error} onRetry={zone.refetch} />;
  return <Skeleton height={240} role="status" aria-label="Loading records..." />;
}

function Contents({ zone, children }: { zone: MoveZone; children: ReactNode }) {
  return (
    <Stack gap="md">
      {zone.differences.length > 0 && (
        <section aria-labelledby="differences">
          <Title order={3} size="h5" id="differences">
            Not as before
          </Title>
          <ul className={classes.records}>
            {zone.differences.map(({ name, type, before, now }) => (
              <li key={`${name} ${type}`}>
                {name} {type}: {before.join(', ')} → {now.length === 0 ? 'no answer' : now.join(', ')}
              </li>
            ))}
          </ul>
          {children}
        </section>
      )}
      {zone.leftOut.length > 0 && (
        <section aria-labelledby="left-out">
          <Title order={3} size="h5" id="left-out">
            Cannot be served here
          </Title>
          <ul className={classes.records}>
            {zone.leftOut.map(({ name, type, data, reason }) => (
              <li key={`${name} ${type} ${data}`}>
                {name} {type} {data}
                <Text size="sm" c="dimmed">
                  {reason}
                </Text>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="records">
        <Title order={3} size="h5" id="records">
          {zone.records.length === 1 ? '1 record was read' : `${zone.records.length} records were read`}
        </Title>
        <ul className={classes.records}>
          {(zone.records as DnsRecord[]).map((record) => {
            const text = `${record.subdomain || '@'} ${record.type} ${recordData(record)}`;
            return <li key={text}>{text}</li>;
          })}
        </ul>
      </section>
    </Stack>
  );
}
