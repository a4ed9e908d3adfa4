import { Stack, Table, Text } from '@mantine/core';
import type { FileLook } from '#contracts/operations/customer-import.ts';
import { type ColumnMapping, mapped } from '#contracts/values/column-mapping.ts';
import { contactFields } from '#contracts/values/contact.ts';
import { csvColumns } from '#contracts/values/customer-csv.ts';
import { labelOf } from './column-texts.ts';

/** The first rows of the file in our fields, by the mapping that is chosen. */
export function FilePreview({ look, mapping }: { look: FileLook; mapping: ColumnMapping }) {
  const { columns, row } = mapped(look.columns, mapping);
  const place = new Map(columns.map((name, index) => [name, index]));
  const inForm = contactFields.map((field) => `contacts_owner_${field}`).filter((name) => place.has(name));
  const others = columns.filter((name) => csvColumns.includes(name) && !inForm.includes(name));
  const shown = [...inForm, ...others];
  if (shown.length === 0 || look.rows.length === 0) return null;
  return (
    <Stack component="section" aria-label="First rows" gap="xs">
      <Text fw={600}>Preview of the first rows</Text>
      <Table.ScrollContainer
        minWidth={shown.length * 130}
        scrollAreaProps={{
          viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'First rows of the file' },
        }}
      >
        <Table withTableBorder fz="sm">
          <Table.Thead>
            <Table.Tr>
              {shown.map((name) => (
                <Table.Th key={name}>{labelOf(name)}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {look.rows.map(row).map((cells, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file have no other name than their place
              <Table.Tr key={index}>
                {shown.map((name) => (
                  <Table.Td key={name}>{cells[place.get(name) ?? -1]}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
