import { Alert, Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Change } from '#contracts/operations/changes.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useDescribeChange } from './api.ts';
import { ChangeFields, type CustomerOptions, type FieldsOf } from './change-fields.tsx';
import { type ChangeValues, describedBy, type TemplateChoice } from './change-form.ts';
import { isPlaced, problemsOf } from './field-problems.ts';
import { useProblems } from './use-problems.ts';

/** Describes a change differently. Its domains stay, and are looked at again. */
export function DescribeDialog(props: {
  change: Change;
  values: ChangeValues;
  fieldsOf: FieldsOf;
  customers: CustomerOptions;
  templates: readonly TemplateChoice[];
  /** Says which of them could not be read. */
  unread: ReactNode;
  onClose: () => void;
}) {
  const { change, fieldsOf, customers, templates, onClose } = props;
  const [values, setValues] = useState(props.values);
  // The change is read again while the form is open, and the form is of what was read first.
  const [round] = useState(change.round);
  const describe = useDescribeChange(change.id);
  const { wrong, changed } = useProblems(describe.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    describe.mutate(describedBy(values, templates, round), { onSuccess: onClose });
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Describe it differently"
      // A refusal has to find the form, and what was typed.
      running={describe.isPending}
      size="lg"
      closeOnClickOutside={false}
    >
      <form noValidate aria-label="Describe the change" onSubmit={submit}>
        <Stack gap="sm">
          {props.unread}
          <ChangeFields
            {...{ values, fieldsOf, customers, templates }}
            set={(part) => {
              changed(values, part);
              setValues((before) => ({ ...before, ...part }));
            }}
            wrong={wrong}
          />
          {describe.error && !isPlaced(problemsOf(describe.error)) && (
            <Alert color="red" variant="light" role="alert">
              {describe.error.message}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" disabled={describe.isPending} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={describe.isPending}>
              {describe.isPending ? 'Preparing...' : 'Review the differences'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
