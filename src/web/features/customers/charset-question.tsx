import { Button, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FileLook } from '#contracts/operations/customer-import.ts';
import { likelyChoices } from '#contracts/values/charsets.ts';

type Choice = FileLook['charsets'][number];

/** In which character set a file is: each way to read it with cells of the file, so that a person sees which is right. */
export function CharsetQuestion(props: {
  choices: readonly Choice[];
  onChoose: (charset: Choice['charset']) => void;
}) {
  const [all, setAll] = useState(false);
  const shown = all ? props.choices : props.choices.slice(0, likelyChoices);
  const hidden = props.choices.length - shown.length;
  return (
    <Stack component="section" aria-label="Character set" gap="md">
      <div>
        <Text fw={600}>Which version shows the names correctly?</Text>
        <Text size="sm" c="dimmed">
          The file does not say which character set it uses. Nothing is stored until you choose one.
        </Text>
      </div>
      {shown.map(({ charset, label, cells }) => (
        <Paper key={charset} withBorder p="md">
          <Group justify="space-between" wrap="wrap" gap="sm">
            <div style={{ minWidth: 0, flex: '1 1 16rem' }}>
              <Text size="sm" fw={500}>
                {label}
              </Text>
              <Group gap={6} mt={6}>
                {cells.map((cell) => (
                  <Code key={cell} style={{ overflowWrap: 'anywhere' }}>
                    {cell}
                  </Code>
                ))}
              </Group>
            </div>
            <Button
              variant="default"
              aria-label={`Use this: ${label}`}
              onClick={() => props.onChoose(charset)}
            >
              Use this
            </Button>
          </Group>
        </Paper>
      ))}
      {hidden > 0 && (
        <Button variant="subtle" style={{ alignSelf: 'flex-start' }} onClick={() => setAll(true)}>
          Show {hidden} more
        </Button>
      )}
    </Stack>
  );
}
