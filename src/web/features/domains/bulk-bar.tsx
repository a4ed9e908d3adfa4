import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DomainRow } from '#contracts/operations/domains.ts';
import { ActionBar } from '../../ui/action-bar.tsx';
import { FailureText } from '../../ui/failure.tsx';

/** What can be done with the chosen domains. */
export function BulkBar(props: {
  rows: readonly DomainRow[];
  /** Puts the renewals into the cart; null: this user may not buy. */
  onRenew: (() => void) | null;
  /** What is done with all of them as one change; null: this user may not. */
  changes: ReactNode;
  onClear: () => void;
  /** What renewing them costs, in a sentence. */
  cost: string | null;
  /** Chooses the rows of all pages; null: there are no others, or too many. */
  all: { count: number; choosing: boolean; error: Error | null; onChoose: () => void } | null;
  /** What else there is to say, e.g. that renewals are in the cart. */
  children?: ReactNode;
}) {
  const { rows } = props;
  const hasHeld = rows.some(({ status }) => status !== 'transferring');
  if (rows.length === 0 && !props.children) return null;
  return (
    <ActionBar label="Selected domains">
      <Stack gap="xs">
        {rows.length > 0 && (
          <Group gap="xs">
            <Text size="sm" fw={600} role="status" mr="xs">
              {rows.length === 1 ? '1 domain selected' : `${rows.length} domains selected`}
            </Text>
            {props.onRenew && (
              <Button size="xs" disabled={!hasHeld} onClick={props.onRenew}>
                Renew
              </Button>
            )}
            {props.changes}
            {props.all && (
              <Choice
                label={props.all.choosing ? 'Selecting...' : `Select all ${props.all.count}`}
                disabled={props.all.choosing}
                onClick={props.all.onChoose}
              />
            )}
            <FailureText error={props.all?.error} />
            <Button size="xs" variant="subtle" onClick={props.onClear}>
              Clear selection
            </Button>
            {props.cost && (
              <Text size="sm" c="dimmed" className="number">
                {props.cost}
              </Text>
            )}
          </Group>
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
