import { ActionIcon, Text } from '@mantine/core';
import { IconFileDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import type { ExportSubject } from './api.ts';
import { ExportData } from './export-data.tsx';

/** In a row: the data of whom the row is about, to a file. */
export function ExportButton({ name, subject }: { name: string; subject: ExportSubject }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <ActionIcon variant="subtle" aria-label={`Export the data of ${name}`} onClick={() => setOpened(true)}>
        <IconFileDownload size={18} />
      </ActionIcon>
      <Dialog opened={opened} onClose={() => setOpened(false)} title="Export data" centered>
        <Text mb="md" style={{ overflowWrap: 'anywhere' }}>
          Everything the portal holds about {name}.
        </Text>
        <ExportData subject={subject} />
      </Dialog>
    </>
  );
}
