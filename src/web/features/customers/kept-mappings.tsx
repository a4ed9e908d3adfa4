import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ColumnMapping } from '#contracts/values/column-mapping.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { messageOf } from '../../lib/api-error.ts';
import { UnreadChoices } from '../../ui/error-state.tsx';
import { useDropMapping, useKeepMapping, useMappings } from './import-api.ts';

/** Columns that were matched once are kept under a name, and found again by the header of the next file. */
export function KeptMappings(props: { mapping: ColumnMapping; onUse: (mapping: ColumnMapping) => void }) {
  const mappings = useMappings();
  const kept = mappings.data ?? [];
  const keep = useKeepMapping();
  const drop = useDropMapping();
  const [name, setName] = useState('');
  const [used, setUsed] = useState<string | null>(null);
  const error = keep.error ?? drop.error;
  return (
    <Stack component="section" aria-label="Saved columns" gap="sm">
      <UnreadChoices of={[mappings]} />
      {kept.length > 0 && (
        <Group align="flex-end" gap="sm">
          <Select
            label="Use saved columns"
            placeholder="Choose a name"
            data={kept.map((one) => ({ value: one.id, label: one.name }))}
            value={used}
            onChange={(id) => {
              setUsed(id);
              const found = kept.find((one) => one.id === id);
              if (found) props.onUse(found.mapping);
            }}
          />
          <Button
            variant="subtle"
            color="red"
            disabled={used === null || drop.isPending}
            onClick={() => used && drop.mutate(used, { onSuccess: () => setUsed(null) })}
          >
            Remove
          </Button>
        </Group>
      )}
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Save these columns for the next file"
          placeholder="A name, such as Our CRM"
          maxLength={mostCharacters.mappingName}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          variant="default"
          disabled={name.trim() === '' || keep.isPending}
          onClick={() => keep.mutate({ name, mapping: props.mapping })}
        >
          Save
        </Button>
      </Group>
      <Text role="status" size="sm" c={error ? 'var(--mantine-color-error)' : 'dimmed'}>
        {error ? messageOf(error) : keep.data ? `Saved as ${keep.data.name}.` : ''}
      </Text>
    </Stack>
  );
}
