import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { ApiError } from '../../lib/api-error.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useSaveOwn } from './api.ts';
import { TemplateConflict } from './template-conflict.tsx';
import { bodyOf, failureText, pasted, theirsOf, valuesOf, variablesIn } from './template-form.ts';

/** Makes a template, or the next version of one. */
export function TemplateEditor(props: {
  template: OwnTemplate | null;
  onSaved: (template: OwnTemplate) => void;
  onClose: () => void;
}) {
  const { onClose } = props;
  // What the form began with: it is read again behind the dialog, and that is not what the person looks at.
  const [template] = useState(props.template);
  const editor = useEditor(template, props.onSaved);
  const { values, setValues, notes, problem, save, theirs } = editor;
  const wrong = (path: string) =>
    save.error instanceof ApiError
      ? save.error.details.find((detail) => detail.path.startsWith(path))?.message
      : undefined;
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
      <form noValidate aria-label="Template" onSubmit={editor.submit}>
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
            onChange={(event) => editor.write(event.currentTarget.value)}
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
          {theirs && (
            <TemplateConflict theirs={theirs} saving={save.isPending} onTakeTheirs={editor.takeTheirs} />
          )}
          {save.error && !placed && !theirs && (
            <Alert color="red" variant="light" role="alert">
              {failureText(save.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" disabled={save.isPending} onClick={onClose}>
              Cancel
            </Button>
            {!theirs && (
              <Button type="submit" disabled={save.isPending}>
                {save.isPending ? 'Saving...' : template ? `Save as version ${values.version + 1}` : 'Save'}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** What is typed, and what becomes of it. */
function useEditor(template: OwnTemplate | null, onSaved: (template: OwnTemplate) => void) {
  const [values, setValues] = useState(() => valuesOf(template));
  const [notes, setNotes] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [theirs, setTheirs] = useState<OwnTemplate | null>(null);
  const save = useSaveOwn(template?.id ?? null);
  const begin = (next: typeof values) => {
    setProblem(null);
    setNotes([]);
    setValues(next);
  };
  return {
    ...{ values, setValues, notes, problem, save, theirs },
    write(text: string) {
      const read = pasted(values, text);
      begin(read?.values ?? { ...values, text });
      if (read) setNotes(read.notes);
    },
    submit(event: FormEvent) {
      event.preventDefault();
      const sent = bodyOf(values);
      if (!sent.ok) return setProblem(sent.message);
      // After a conflict was shown, saving again saves over what was shown, and over nothing else.
      const version = (theirs ?? values).version;
      save.mutate(
        { ...sent.body, version },
        { onSuccess: onSaved, onError: (error) => setTheirs(theirsOf(error)) },
      );
    },
    takeTheirs() {
      if (theirs) begin(valuesOf(theirs));
      setTheirs(null);
      save.reset();
    },
  };
}
