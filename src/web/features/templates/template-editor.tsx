import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { ApiError } from '../../lib/api-error.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useSaveOwn } from './api.ts';
import { bodyOf, failureText, pasted, valuesOf, variablesIn } from './template-form.ts';

/** Makes a template, or the next version of one. */
export function TemplateEditor(props: {
  template: OwnTemplate | null;
  onSaved: (template: OwnTemplate) => void;
  onClose: () => void;
}) {
  const { onClose } = props;
  // What the form began with: it is read again behind the dialog, and that is not what the person looks at.
  const [template] = useState(props.template);
  const [values, setValues] = useState(() => valuesOf(template));
  const [notes, setNotes] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const save = useSaveOwn(template?.id ?? null);
  const wrong = (path: string) =>
    save.error instanceof ApiError
      ? save.error.details.find((detail) => detail.path.startsWith(path))?.message
      : undefined;
  const write = (text: string) => {
    setProblem(null);
    const read = pasted(values, text);
    setNotes(read?.notes ?? []);
    setValues(read?.values ?? { ...values, text });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const sent = bodyOf(values);
    if (!sent.ok) return setProblem(sent.message);
    save.mutate(sent.body, { onSuccess: props.onSaved });
  };
  const placed = ['name', 'records', 'variables'].some((path) => wrong(path));
  return (
    <Dialog
      opened
      onClose={onClose}
      // A refusal has to find the form, and what was typed.
      running={save.isPending}
      closeOnClickOutside={false}
      title={template ? 'Change the template' : 'New template'}
      size="lg"
    >
      <form noValidate aria-label="Template" onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            required
            data-autofocus
            value={values.name}
            maxLength={mostCharacters.name}
            error={wrong('name')}
            autoComplete="off"
            onChange={(event) => setValues({ ...values, name: event.currentTarget.value })}
          />
          <Textarea
            label="Records"
            description="One per line. {domain} is each domain, {dashed} its name with hyphens, any other {word} a variable. A public Domain Connect template can be pasted as it is."
            placeholder={'@ MX 10 mx.{provider}\n@ TXT v=spf1 include:{provider} -all'}
            value={values.text}
            error={problem ?? wrong('records')}
            autosize
            minRows={5}
            maxRows={16}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mono)' } }}
            onChange={(event) => write(event.currentTarget.value)}
          />
          {notes.length > 0 && (
            <Alert color="yellow" variant="light" role="status" title="Please check">
              {notes.map((note) => (
                <div key={note}>{note}</div>
              ))}
            </Alert>
          )}
          {variablesIn(values).map(({ key, label }) => (
            <TextInput
              key={key}
              label={`What {${key}} stands for`}
              value={values.labels[key] ?? label}
              maxLength={80}
              error={wrong('variables')}
              autoComplete="off"
              onChange={(event) => {
                const labels = { ...values.labels, [key]: event.currentTarget.value };
                setValues({ ...values, labels });
              }}
            />
          ))}
          {template && template.uses.total > 0 && (
            <Text size="sm" c="dimmed">
              Zones do not change until you roll the new version out.
            </Text>
          )}
          {save.error && !placed && (
            <Alert color="red" variant="light" role="alert">
              {failureText(save.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" disabled={save.isPending} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={save.isPending}>
              {save.isPending ? 'Saving...' : template ? `Save as version ${values.version + 1}` : 'Save'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
