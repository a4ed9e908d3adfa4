import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import { templateText } from '#contracts/values/template-text.ts';
import { flatRecords } from '#contracts/values/zone-changes.ts';
import classes from './templates.module.css';

/** Two people changed one template: the second sees what the first saved, and keeps what they have typed until they decide. */
export function TemplateConflict(props: { theirs: OwnTemplate; saving: boolean; onTakeTheirs: () => void }) {
  const { theirs, saving } = props;
  const notice = useRef<HTMLDivElement>(null);
  // Records may be many, and the dialog longer than the window.
  useEffect(() => {
    notice.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <Alert
      ref={notice}
      color="yellow"
      variant="light"
      role="alert"
      title="Someone else changed this template"
    >
      <Stack gap="sm">
        <Text size="sm">
          They saved version {theirs.version} while you were editing: {theirs.name}. What you typed is kept.
          Compare both and choose one.
        </Text>
        <pre className={classes.records}>{templateText(flatRecords(theirs.records))}</pre>
        {theirs.variables.map(({ key, label }) => (
          <Text key={key} size="sm">
            <code>{`{${key}}`}</code> {label}
          </Text>
        ))}
        <Group>
          <Button size="xs" type="submit" disabled={saving}>
            {saving ? 'Saving...' : 'Save mine'}
          </Button>
          <Button size="xs" variant="default" disabled={saving} onClick={props.onTakeTheirs}>
            Take theirs
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
