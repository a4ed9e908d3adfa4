import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DomainRow } from '#contracts/operations/domains.ts';
import { ActionBar } from '../../ui/action-bar.tsx';
import { type BulkAct, useBulk } from './bulk.ts';

/** What can be done with the chosen domains, and what came of it. */
export function BulkBar(props: {
  rows: readonly DomainRow[];
  mayChange: boolean;
  /** Puts the renewals into the cart; null: this user may not buy. */
  onRenew: (() => void) | null;
  /** Describes a change of their zones; null: this user may not. */
  onChangeZones: (() => void) | null;
  onClear: () => void;
  /** What renewing them costs, in a sentence. */
  cost: string | null;
  /** Chooses the rows of all pages; null: there are no others, or too many. */
  all: { count: number; choosing: boolean; onChoose: () => void } | null;
  /** What else there is to say, e.g. that renewals are in the cart. */
  children?: ReactNode;
}) {
  const bulk = useBulk();
  const { rows } = props;
  const busy = bulk.state?.running ?? false;
  const changeable = rows.filter(({ status }) => status !== 'transferring');
  const act = (name: BulkAct) => () => void bulk.run(name, changeable);
  if (rows.length === 0 && !bulk.state && !props.children) return null;
  return (
    <ActionBar label="Selected domains">
      <Stack gap="xs">
        {rows.length > 0 && (
          <Group gap="xs">
            <Text size="sm" fw={600} role="status" mr="xs">
              {rows.length === 1 ? '1 domain selected' : `${rows.length} domains selected`}
            </Text>
            {props.onRenew && (
              <Button size="xs" disabled={busy || changeable.length === 0} onClick={props.onRenew}>
                Renew
              </Button>
            )}
            {props.mayChange && (
              <>
                <Choice label="Auto renew on" disabled={busy} onClick={act('auto-renew-on')} />
                <Choice label="Auto renew off" disabled={busy} onClick={act('auto-renew-off')} />
                <Choice label="Lock" disabled={busy} onClick={act('lock')} />
              </>
            )}
            {props.onChangeZones && (
              <Choice label="Change DNS" disabled={busy} onClick={props.onChangeZones} />
            )}
            {props.all && (
              <Choice
                label={props.all.choosing ? 'Selecting...' : `Select all ${props.all.count}`}
                disabled={busy || props.all.choosing}
                onClick={props.all.onChoose}
              />
            )}
            <Button size="xs" variant="subtle" disabled={busy} onClick={props.onClear}>
              Clear selection
            </Button>
            {props.cost && (
              <Text size="sm" c="dimmed" className="number">
                {props.cost}
              </Text>
            )}
          </Group>
        )}
        {bulk.state && (
          <Text size="sm" role="status">
            {bulk.state.text}
          </Text>
        )}
        {bulk.state && bulk.state.failures.length > 0 && (
          <Alert color="red" variant="light" role="alert" title="Not done">
            {bulk.state.failures.map(({ address, message }) => (
              <div key={address}>
                {address}: {message}
              </div>
            ))}
          </Alert>
        )}
        {props.children}
      </Stack>
    </ActionBar>
  );
}

function Choice({ label, disabled, onClick }: { label: string; disabled: boolean; onClick: () => void }) {
  return (
    <Button size="xs" variant="default" disabled={disabled} onClick={onClick}>
      {label}
    </Button>
  );
}
