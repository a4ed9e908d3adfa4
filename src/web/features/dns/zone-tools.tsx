import { Button, Group, TextInput } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { recordTypes } from '#contracts/values/dns-records.ts';
import { FailureAlert } from '../../ui/failure.tsx';
import { LongSelect } from '../../ui/long-select.tsx';
import { useExportZone } from './api.ts';

/** Above the records: what is shown of them, and what can be done with all of them. */
export function ZoneTools(props: {
  address: string;
  mayEdit: boolean;
  /** The records have come. */
  isReady: boolean;
  onOpen: (opened: { kind: 'add' | 'history' | 'templates' | 'import' }) => void;
}) {
  const { onOpen } = props;
  const disabled = !props.isReady;
  const exporting = useExportZone(props.address);
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Filters />
        <Group gap="xs">
          <Button variant="default" size="xs" disabled={disabled} onClick={() => onOpen({ kind: 'history' })}>
            History
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={disabled || exporting.isPending}
            onClick={() => exporting.mutate(undefined)}
          >
            {exporting.isPending ? 'Exporting...' : 'Export'}
          </Button>
          {props.mayEdit && (
            <>
              <Button
                variant="default"
                size="xs"
                disabled={disabled}
                onClick={() => onOpen({ kind: 'import' })}
              >
                Import
              </Button>
              <Button
                variant="default"
                size="xs"
                disabled={disabled}
                onClick={() => onOpen({ kind: 'templates' })}
              >
                Templates
              </Button>
              <Button
                size="xs"
                disabled={disabled}
                data-adds
                leftSection={<IconPlus size={16} aria-hidden />}
                onClick={() => onOpen({ kind: 'add' })}
              >
                Add
              </Button>
            </>
          )}
        </Group>
      </Group>
      <FailureAlert error={exporting.error} />
    </>
  );
}

const allTypes = 'All types';

/** What is shown, in the address: a link shows a colleague the same. */
export function useFilters() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (change: { kind?: string | undefined; search?: string | undefined }) =>
    void navigate({
      to: '.',
      search: (previous: Record<string, unknown>) => ({ ...previous, ...change }),
      replace: true,
      resetScroll: false,
    });
  const type = recordTypes.find((known) => known === search.kind);
  return { type, text: search.search ?? '', set };
}

function Filters() {
  const { type, text, set } = useFilters();
  return (
    <Group gap="xs">
      <LongSelect
        likely
        aria-label="Record type"
        data={[allTypes, ...recordTypes]}
        value={type ?? allTypes}
        allowDeselect={false}
        w={130}
        onChange={(value) => set({ kind: value === allTypes ? undefined : (value ?? undefined) })}
      />
      <TextInput
        aria-label="Search the records"
        placeholder="Search the records"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        maxLength={200}
        w={{ base: '100%', xs: 220 }}
        onChange={(event) => set({ search: event.currentTarget.value || undefined })}
      />
    </Group>
  );
}
