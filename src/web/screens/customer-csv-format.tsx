import { Button, Code, List, Stack, Table, Title } from '@mantine/core';
import { csvColumns, csvLimits, requiredColumns } from '#contracts/values/customer-csv.ts';
import { countText } from '#contracts/values/format.ts';
import { meaningOf } from '../features/customers/column-texts.ts';
import { useSaveFile } from '../features/customers/import-api.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { FailureText } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';

const required = new Set(requiredColumns);
const megabytes = csvLimits.bytes / 1_000_000;

/** "More information about data format" (P1 §2): the columns and rules of a customer file. */
export default function CustomerCsvFormatScreen() {
  const sample = useSaveFile('sample');
  const above = <Breadcrumbs trail={[{ to: '/customers', label: 'Customers' }]} here="File format" />;
  const action = (
    <Button disabled={sample.isPending} onClick={() => sample.mutate()}>
      Download sample .csv
    </Button>
  );
  return (
    <Page title="Format of the customer file" above={above} action={action}>
      <Stack gap="xl" maw={860}>
        <FailureText error={sample.error} size="md" />
        <Rules />
        <section aria-labelledby="columns">
          <Title order={2} size="h3" mb="sm" id="columns">
            Columns
          </Title>
          <Table.ScrollContainer
            minWidth={620}
            // On a phone it scrolls sideways, by the keyboard too.
            scrollAreaProps={{
              viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Table of columns' },
            }}
          >
            <Table withTableBorder>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Column</Table.Th>
                  <Table.Th>Needed</Table.Th>
                  <Table.Th>Contents</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {csvColumns.map((name) => (
                  <Table.Tr key={name}>
                    <Table.Td>
                      <Code>{name}</Code>
                    </Table.Td>
                    <Table.Td>{required.has(name) ? 'Required' : 'Optional'}</Table.Td>
                    <Table.Td>{meaningOf(name)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </section>
      </Stack>
    </Page>
  );
}

function Rules() {
  return (
    <section aria-labelledby="rules">
      <Title order={2} size="h3" mb="sm" id="rules">
        Rules
      </Title>
      <List spacing="xs">
        <List.Item>
          The first row names the columns, in any order, separated by commas, semicolons or tabs. You can
          upload lists from other programs as they are and match their columns on the next screen. Columns
          that are not needed are ignored.
        </List.Item>
        <List.Item>
          UTF-8 and UTF-16 files are recognized automatically. For a file in another character set, you choose
          the one that shows its names correctly.
        </List.Item>
        <List.Item>
          A phone number is written as <Code>+cc nnnnnnnnnn</Code>: plus, country code, a space, the number.
          An extension may follow as <Code>x12</Code>. Any other form with a plus and the country code is
          accepted too.
        </List.Item>
        <List.Item>
          Empty cells of the Admin and Billing contacts are copied from the owner. You may leave out optional
          columns. Existing customers then keep their values.
        </List.Item>
        <List.Item>
          A row with a <Code>customerId</Code> changes that customer. Without one, the portal looks for a
          customer with the same organization and owner email. It changes that customer, or creates a new one
          if there is none. Uploading the same file again creates nothing new.
        </List.Item>
        <List.Item>
          Nothing is written until you have seen what each row would do. A file is imported as a whole or not
          at all, unless you import the good rows only.
        </List.Item>
        <List.Item>
          At most {megabytes} MB, {countText(csvLimits.rows)} rows, {csvLimits.columns} columns, and{' '}
          {csvLimits.recordBytes / 1_000} KB in a row.
        </List.Item>
        <List.Item>
          A cell that a spreadsheet would run as a formula has a quotation mark <Code>'</Code> in front of it
          in the files that you download here. The import removes it again.
        </List.Item>
      </List>
    </section>
  );
}
