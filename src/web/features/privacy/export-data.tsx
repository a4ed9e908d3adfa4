import { Button, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type ExportFormat, type ExportSubject, useExportData } from './api.ts';

const formats: [ExportFormat, string][] = [
  ['json', 'Export data (JSON)'],
  ['csv', 'Export data (CSV)'],
];

/** Everything the portal holds about one person, to a file. */
export function ExportData({ subject }: { subject: ExportSubject }) {
  const save = useExportData(subject);
  return (
    <>
      <Group gap="sm">
        {formats.map(([format, label]) => (
          <Button
            key={format}
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            disabled={save.isPending}
            onClick={() => save.mutate(format)}
          >
            {save.isPending && save.variables === format ? 'Preparing...' : label}
          </Button>
        ))}
      </Group>
      <div role="status">
        {save.isSuccess && (
          <Text size="sm" mt="xs">
            The file has been saved by your browser.
          </Text>
        )}
      </div>
      {save.error && (
        <Text size="sm" c="var(--bad)" role="alert" mt="xs">
          {save.error.message}
        </Text>
      )}
    </>
  );
}
