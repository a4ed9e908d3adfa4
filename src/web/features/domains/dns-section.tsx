import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  Group,
  List,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import { nameserverLimits } from '#contracts/values/nameservers.ts';
import { focusFault } from '../../ui/first-fault.ts';
import { useSiteName } from '../../ui/site-name.ts';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useForceNameservers, useSetNameservers } from './api.ts';
import { isSignedQuestion, MoveSignedDialog, SignedWarning } from './dnssec-section.tsx';
import {
  inputsOf,
  type NameserverInput,
  problemsOf,
  tidied,
  withAnother,
  withName,
  without,
} from './nameserver-form.ts';
import { Outcome } from './protection-section.tsx';
import { Section } from './section.tsx';

type Mode = 'managed' | 'own';
/** The product's name replaces "the product's" (how the specification is read). */
const optionsOf = (site: string) => [
  { value: 'managed', label: `${site} managed DNS` },
  { value: 'own', label: 'Your Own DNS' },
];

/** DNS option with the nameservers (P2 §2, §4, §5, §8). */
export function DnsSection({ details, mayChange }: { details: DomainDetails; mayChange: boolean }) {
  const { domain } = details;
  const names = details.nameserver_list.map(({ name }) => name);
  const present: Mode = details.managed_dns === false ? 'own' : 'managed';
  const own = useSetNameservers(domain);
  const managed = useForceNameservers(domain);
  // The notice is about the last thing that was saved.
  const [saved, setSaved] = useState<Mode | null>(null);
  // Of a signed domain the server wants to hear it twice.
  const [asked, setAsked] = useState<{ mode: Mode; wanted: string[] } | null>(null);
  const save = (mode: Mode, wanted: string[], dnssecConfirmed?: true) => {
    setSaved(mode);
    const confirmed = dnssecConfirmed ? { dnssecConfirmed } : {};
    const onError = (error: Error) => {
      if (isSignedQuestion(error)) setAsked({ mode, wanted });
    };
    if (mode === 'own') own.mutate({ nameservers: wanted, ...confirmed }, { onError });
    else managed.mutate(confirmed, { onError });
  };
  return (
    <Section
      title="DNS"
      action={
        present === 'managed' && (
          <Anchor component={Link} to={`/domain/${domain}/dns`} size="sm">
            Edit records
          </Anchor>
        )
      }
    >
      <DnsForm
        // Another form when the delegation changed; what is being typed stays while it is the same.
        key={`${present} ${names.join()}`}
        domain={domain}
        names={names}
        present={present}
        saving={own.isPending || managed.isPending}
        disabled={!mayChange}
        onSave={(mode, wanted) => save(mode, wanted)}
      >
        {saved === 'own' && <Told mode="own" result={own} />}
        {saved === 'managed' && <Told mode="managed" result={managed} />}
      </DnsForm>
      <MoveSignedDialog
        domain={domain}
        opened={asked !== null}
        onConfirm={() => {
          setAsked(null);
          if (asked) save(asked.mode, asked.wanted, true);
        }}
        onClose={() => setAsked(null)}
      />
    </Section>
  );
}

interface DnsFormProps {
  domain: string;
  names: string[];
  present: Mode;
  saving: boolean;
  disabled: boolean;
  onSave: (mode: Mode, names: string[]) => void;
  /** What came of the last saving. */
  children: ReactNode;
}

function DnsForm(props: DnsFormProps) {
  const { names, present, saving, disabled } = props;
  const form = useDnsForm(props);
  const site = useSiteName();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    form.save();
    focusFault(event.currentTarget);
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="sm">
        <UnsavedGuard dirty={form.dirty} question="Leave without saving the nameservers?" />
        <Select
          label="DNS option"
          description={
            form.mode === 'managed' ? 'Records are edited here' : 'Records are edited at your DNS provider'
          }
          data={optionsOf(site)}
          value={form.mode}
          allowDeselect={false}
          disabled={disabled || saving}
          onChange={(value) => form.setMode(value === 'own' ? 'own' : 'managed')}
        />
        {form.mode === 'own' && (
          <NameserverInputs
            inputs={form.inputs}
            problems={form.problems}
            disabled={disabled || saving}
            onChange={form.setInputs}
          />
        )}
        {form.mode === 'managed' && present === 'managed' && <PresentNames names={names} />}
        {form.mode !== present && (
          <Text size="sm" c="dimmed">
            {form.mode === 'managed'
              ? `The domain will use ${site}'s nameservers. They serve the records that are kept here, which the Managed DNS tab then shows.`
              : 'The records on the Managed DNS tab will not be served any more. They are kept for when you come back. Have the same records at your DNS provider first.'}
          </Text>
        )}
        <SignedWarning domain={props.domain} shown={form.dirty} />
        {props.children}
        {!disabled && (
          <Group>
            <Button size="xs" type="submit" disabled={!form.dirty || saving}>
              {saving ? 'Saving changes...' : 'Save Changes'}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

function useDnsForm({ names, present, onSave }: DnsFormProps) {
  const [mode, setMode] = useState<Mode>(present);
  const [inputs, setInputs] = useState(() => inputsOf(present === 'own' ? names : []));
  const [checked, setChecked] = useState(false);
  const typed = inputs.map(({ name }) => tidied(name));
  const dirty = mode !== present || (mode === 'own' && typed.join() !== names.join());
  const problems = checked && mode === 'own' ? problemsOf(inputs) : new Map<number | '', string>();
  const save = () => {
    setChecked(true);
    if (mode === 'managed' || problemsOf(inputs).size === 0) onSave(mode, typed);
  };
  return { mode, setMode, inputs, setInputs, problems, dirty, save };
}

function NameserverInputs(props: {
  inputs: NameserverInput[];
  problems: Map<number | '', string>;
  disabled: boolean;
  onChange: (inputs: NameserverInput[]) => void;
}) {
  const { inputs, problems } = props;
  return (
    <Stack gap="xs">
      {inputs.map((input, index) => (
        <Group key={input.id} gap="xs" wrap="nowrap" align="flex-start">
          <TextInput
            aria-label={`Nameserver ${index + 1}`}
            placeholder={`ns${index + 1}.example.com`}
            value={input.name}
            error={problems.get(input.id)}
            disabled={props.disabled}
            maxLength={260}
            autoComplete="off"
            spellCheck={false}
            style={{ flex: 1 }}
            onChange={(event) => props.onChange(withName(inputs, input.id, event.currentTarget.value))}
          />
          {index >= nameserverLimits.least && (
            <ActionIcon
              variant="subtle"
              color="red"
              size={36}
              disabled={props.disabled}
              aria-label={`Remove nameserver ${index + 1}`}
              onClick={() => props.onChange(without(inputs, input.id))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {problems.get('') && (
        <Text size="sm" c="var(--bad)" role="alert">
          {problems.get('')}
        </Text>
      )}
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          disabled={props.disabled || inputs.length >= nameserverLimits.most}
          onClick={() => props.onChange(withAnother(inputs))}
        >
          Add nameserver
        </Button>
      </Group>
    </Stack>
  );
}

function PresentNames({ names }: { names: string[] }) {
  if (names.length === 0) return null;
  return (
    <List size="sm" listStyleType="none" aria-label="Nameservers">
      {names.map((name) => (
        <List.Item key={name} style={{ overflowWrap: 'anywhere', fontFamily: 'var(--mono)' }}>
          {name}
        </List.Item>
      ))}
    </List>
  );
}

interface Saving {
  error: Error | null;
  data: { notice: string | null } | undefined;
}

function Told({ mode, result }: { mode: Mode; result: Saving }) {
  const { error, data } = result;
  const site = useSiteName();
  // The dialog asks.
  if (isSignedQuestion(error)) return null;
  if (error) {
    // P2 §8.
    return (
      <Alert color="red" variant="light" role="alert" title="Something went wrong">
        Unable to set nameserver: {error.message}
      </Alert>
    );
  }
  if (!data) return null;
  if (data.notice !== null) return <Outcome failure={null} notice={data.notice} />;
  return (
    <Alert color="teal" variant="light" role="status">
      {mode === 'managed' ? `${site} managed DNS has been activated` : 'Nameservers have been updated'}
    </Alert>
  );
}
