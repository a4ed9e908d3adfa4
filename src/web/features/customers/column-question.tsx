import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type ColumnMapping, missingColumns } from '#contracts/values/column-mapping.ts';
import { contactFields } from '#contracts/values/contact.ts';
import { countries } from '#contracts/values/countries.ts';
import { csvColumns, requiredColumns, wholeName } from '#contracts/values/customer-csv.ts';
import { LongSelect } from '../../ui/long-select.tsx';
import { labelOf } from './column-texts.ts';

/** As a contact's form has them, then direct billing. */
const usual = [
  ...contactFields.map((field) => `contacts_owner_${field}`),
  ...requiredColumns.filter((name) => !name.startsWith('contacts_')),
  ...['contacts_owner_address2', wholeName],
];
const rest = csvColumns.filter((name) => !usual.includes(name));

/** Which column of the file is which of ours. What is required and not chosen says so once the rows are to be checked. */
export function ColumnQuestion(props: {
  header: readonly string[];
  mapping: ColumnMapping;
  tried: boolean;
  onChange: (mapping: ColumnMapping) => void;
}) {
  const { header, mapping } = props;
  const [all, setAll] = useState(false);
  const missing = new Set(missingColumns(mapping));
  const choose = (column: string, choice: string | null) => {
    const { [column]: _column, ...columns } = mapping.columns;
    const { [column]: _value, ...values } = mapping.values;
    if (choice?.startsWith('column:')) columns[column] = choice.slice('column:'.length);
    if (choice?.startsWith('value:')) values[column] = choice.slice('value:'.length);
    props.onChange({ columns, values });
  };
  return (
    <Stack component="section" aria-label="Columns" gap="md">
      <Text fw={600}>Which column is which?</Text>
      <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }} spacing="md">
        {(all ? [...usual, ...rest] : usual).map((column) => (
          <LongSelect
            key={column}
            label={labelOf(column)}
            withAsterisk={requiredColumns.includes(column)}
            searchable
            clearable={!requiredColumns.includes(column)}
            placeholder="Not in the file"
            data={optionsOf(column, header)}
            value={choiceOf(column, mapping)}
            error={props.tried && missing.has(column) ? 'This field is required' : undefined}
            data-path={column}
            onChange={(choice) => choose(column, choice)}
          />
        ))}
      </SimpleGrid>
      {!all && (
        <Group>
          <Button variant="subtle" onClick={() => setAll(true)}>
            Show Admin, Billing and markup columns
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function choiceOf(column: string, { columns, values }: ColumnMapping): string | null {
  if (columns[column] !== undefined) return `column:${columns[column]}`;
  return values[column] === undefined ? null : `value:${values[column]}`;
}

/** The file's columns, and what can be the same for all new customers. */
function optionsOf(column: string, header: readonly string[]) {
  const names = [...new Set(header.filter((name) => name !== ''))];
  const ofFile = names.map((name) => ({ value: `column:${name}`, label: name }));
  const same = sameForAll(column);
  return same.length === 0
    ? ofFile
    : [
        { group: 'For all new customers', items: same },
        { group: 'Columns of the file', items: ofFile },
      ];
}

function sameForAll(column: string): { value: string; label: string }[] {
  if (column === 'contacts_owner_country') {
    return countries.map(({ code, name }) => ({
      value: `value:${code}`,
      label: `All new customers: ${name}`,
    }));
  }
  if (!/billing_(?:billDirectly|allowChangeBilling)$/.test(column)) return [];
  return [
    { value: 'value:false', label: 'No, for all new customers' },
    { value: 'value:true', label: 'Yes, for all new customers' },
  ];
}
