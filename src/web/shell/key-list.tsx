import { Anchor, Kbd, Table, Text } from '@mantine/core';
import { useMay } from '../features/users/api.ts';
import { Dialog } from '../ui/dialog.tsx';

type Keys = readonly (readonly [readonly string[], string])[];
const staffKeys: Keys = [
  [['/'], 'Search for a name to buy, or for anything you have'],
  [['Ctrl', 'K'], 'Go to a domain, a customer, a DNS record or a screen'],
];
const ownKeys: Keys = [[['Ctrl', 'K'], 'Go to a domain, a DNS record or a screen']];
const everybodysKeys: Keys = [
  [['?'], 'This list'],
  [['↑', '↓'], 'Move between the rows of a table or a list of results'],
  [['Home', 'End'], 'Go to the first or the last row'],
  [['A – Z'], 'Go to the next row that begins with these letters'],
  [['Space'], 'Select the row'],
  [['Ctrl', 'C'], 'Copy the name of the row'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Close what is open'],
];

/** Help: the keys, and where to read more. */
export default function KeyList({ onClose }: { onClose: () => void }) {
  const staff = useMay('catalogue.read');
  const programs = useMay('tokens.manage');
  const keys = [...(staff ? staffKeys : ownKeys), ...everybodysKeys];
  return (
    <Dialog opened onClose={onClose} title="Help" centered closeButtonProps={{ 'aria-label': 'Close' }}>
      <Text fw={600} mb="xs">
        Keys
      </Text>
      <Table mb="md" verticalSpacing={6}>
        <Table.Tbody>
          {keys.map(([combination, text]) => (
            <Table.Tr key={text}>
              <Table.Td w={110}>
                {combination.map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {programs && (
        <Text size="sm">
          Programs can do everything that you do here. See the{' '}
          <Anchor href="/api/docs" inherit>
            description of the API
          </Anchor>
          .
        </Text>
      )}
    </Dialog>
  );
}
