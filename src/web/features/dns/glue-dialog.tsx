import { Alert, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { createGlue, type GlueRow } from '#contracts/operations/dns.ts';
import { ApiError } from '../../lib/api-error.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { below } from './advanced-dns-tab.tsx';
import { type GlueChange, useChangeGlue } from './api.ts';

interface GlueValues {
  name: string;
  ipaddress: string;
  ipv6: string;
}
type GlueField = keyof GlueValues;

/** Add a nameserver host, or change its name and addresses. */
export default function GlueDialog(props: {
  domain: string;
  /** null: a new one. */
  row: GlueRow | null;
  onClose: (notice?: string | null) => void;
}) {
  const { domain, row } = props;
  const [values, setValues] = useState<GlueValues>({
    name: row ? below(row.name, domain) : '',
    ipaddress: row?.ipaddress ?? '',
    ipv6: row?.ipv6 ?? '',
  });
  const [checked, setChecked] = useState(false);
  const change = useChangeGlue(domain);
  const problems = { ...serverProblems(change.error), ...(checked ? problemsOf(values, domain) : {}) };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (Object.keys(problemsOf(values, domain)).length > 0) return;
    change.mutate(changeOf(values, domain, row), { onSuccess: (result) => props.onClose(result.notice) });
  };
  const input = (field: GlueField, label: string, placeholder: string) => (
    <TextInput
      label={label}
      name={field}
      placeholder={placeholder}
      value={values[field]}
      error={problems[field]}
      maxLength={260}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => {
        const text = event.currentTarget.value;
        if (change.error) change.reset();
        setValues((before) => ({ ...before, [field]: text }));
      }}
      {...(field === 'name' ? { description: `Below ${domain}, such as ns1.`, 'data-autofocus': true } : {})}
    />
  );
  return (
    <FormDialog
      title={row ? `Edit ${row.name}` : 'Add nameserver'}
      submitLabel="Save"
      runningLabel="Saving nameserver..."
      running={change.isPending}
      // It stands at its field, or among the fields as a warning (P2 §8).
      error={null}
      onSubmit={submit}
      onClose={() => props.onClose()}
    >
      {input('name', 'Subdomain', 'ns1')}
      {input('ipaddress', 'IP V4', '192.0.2.1')}
      {input('ipv6', 'IP V6', '2001:db8::1')}
      {change.error && Object.keys(serverProblems(change.error)).length === 0 && (
        <Alert color="yellow" variant="light" role="alert">
          {change.error.message}
        </Alert>
      )}
    </FormDialog>
  );
}

const fullName = (typed: string, domain: string) => {
  const name = typed.trim().toLowerCase().replace(/\.$/, '');
  return name === '' || name.endsWith(`.${domain}`) ? name : `${name}.${domain}`;
};

function problemsOf(values: GlueValues, domain: string): Partial<Record<GlueField, string>> {
  const name = fullName(values.name, domain);
  const read = createGlue.body.safeParse({
    name,
    ipaddress: values.ipaddress.trim(),
    ipv6: values.ipv6.trim(),
  });
  const problems: Partial<Record<GlueField, string>> = {};
  for (const { path, message } of read.error?.issues ?? []) problems[path[0] as GlueField] ??= message;
  if (name === '') problems.name = 'This field is required';
  if (values.ipaddress.trim() === '' && values.ipv6.trim() === '') {
    problems.ipaddress ??= 'A nameserver needs an IP address';
  }
  return problems;
}

function serverProblems(error: Error | null): Partial<Record<GlueField, string>> {
  if (!(error instanceof ApiError)) return {};
  const named = error.details.map(({ path, message }) => [path === 'new_name' ? 'name' : path, message]);
  return Object.fromEntries(named.filter(([path]) => ['name', 'ipaddress', 'ipv6'].includes(path ?? '')));
}

/** An address that was not touched is left out and stays; one that was removed is sent as empty. */
function changeOf(values: GlueValues, domain: string, row: GlueRow | null): GlueChange {
  const name = fullName(values.name, domain);
  const [ipaddress, ipv6] = [values.ipaddress.trim(), values.ipv6.trim()];
  if (!row) return { kind: 'create', body: { name, ipaddress, ipv6 } };
  return {
    kind: 'update',
    body: {
      name: row.name,
      ...(name === row.name ? {} : { new_name: name }),
      ...(ipaddress === (row.ipaddress ?? '') ? {} : { ipaddress }),
      ...(ipv6 === (row.ipv6 ?? '') ? {} : { ipv6 }),
    },
  };
}
