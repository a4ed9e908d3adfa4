import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';

export interface Difference {
  label: string;
  theirs: string;
  mine: string;
}

/** Two people edited one customer: the second is told, sees what the first saved, and keeps what was typed. */
export function ConflictNotice(props: {
  differences: readonly Difference[];
  /** The form whose values "Save mine" saves, as they stand then. */
  formId: string;
  onTakeTheirs: () => void;
  saving: boolean;
}) {
  return (
    <Alert color="yellow" variant="light" role="alert" title="This customer was changed by somebody else">
      <Stack gap="sm">
        <Text size="sm">
          It was saved by somebody else while you were editing. What you typed is kept. Compare and decide.
        </Text>
        {props.differences.length > 0 && <Differences rows={props.differences} />}
        <Group>
          <Button size="xs" type="submit" form={props.formId} disabled={props.saving}>
            {props.saving ? 'Saving customer...' : 'Save mine'}
          </Button>
          <Button size="xs" variant="default" onClick={props.onTakeTheirs}>
            Take theirs
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function Differences({ rows }: { rows: readonly Difference[] }) {
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table aria-label="What differs" withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Saved by somebody else</Table.Th>
            <Table.Th>Typed by you</Table.Th>
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
