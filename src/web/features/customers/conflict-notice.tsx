import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Difference } from '../../lib/merge.ts';

/**
 * Two people edited one customer: the second keeps their own entries, and chooses where both have changed a field. Where only
 * the first has, the form shows what they saved.
 */
export function ConflictNotice(props: {
  /** What both have changed. */
  differences: readonly Difference[];
  /** The form whose values "Save mine" saves, as they stand then. */
  formId: string;
  onTakeTheirs: () => void;
  saving: boolean;
}) {
  const apart = props.differences.length === 0;
  const notice = useRef<HTMLDivElement>(null);
  // The form is long, and Enter saves it from any of its fields.
  useEffect(() => {
    notice.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const takeTheirs = () => {
    props.onTakeTheirs();
    // The notice goes, with the button in it.
    document.getElementById(props.formId)?.querySelector('input')?.focus();
  };
  return (
    <Alert
      ref={notice}
      color="yellow"
      variant="light"
      role="alert"
      title="Someone else changed this customer"
    >
      <Stack gap="sm">
        <Text size="sm">
          They saved it while you were editing. Your entries are kept, and what you did not change shows what
          they saved.{' '}
          {apart
            ? 'They changed nothing that you changed: save again to keep both.'
            : 'Both of you changed what is listed here. Compare both versions and choose one.'}
        </Text>
        {!apart && (
          <>
            <Differences rows={props.differences} />
            <Group>
              <Button size="xs" type="submit" form={props.formId} disabled={props.saving}>
                {props.saving ? 'Saving customer...' : 'Save mine'}
              </Button>
              {/* While mine is being saved, theirs can be taken no more: the form would show what is not stored. */}
              <Button size="xs" variant="default" disabled={props.saving} onClick={takeTheirs}>
                Take theirs
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Alert>
  );
}

function Differences({ rows }: { rows: readonly Difference[] }) {
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table aria-label="Differences" withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Saved by someone else</Table.Th>
            <Table.Th>Entered by you</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.label}>
              <Table.Td>{row.label}</Table.Td>
              <Table.Td>{row.theirs}</Table.Td>
              <Table.Td>{row.mine}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
