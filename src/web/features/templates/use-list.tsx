import { Button, Group, Skeleton } from '@mantine/core';
import { useState } from 'react';
import type { OwnTemplate, TemplateUse } from '#contracts/operations/dns-templates.ts';
import { type DnsRecord, recordData } from '#contracts/values/dns-records.ts';
import { countText } from '#contracts/values/format.ts';
import { Card } from '../../ui/card.tsx';
import { Chip } from '../../ui/chip.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { DomainName } from '../../ui/domain-name.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { FailureText } from '../../ui/failure.tsx';
import { FilterChips } from '../../ui/filter-chips.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import type { Tone } from '../../ui/tone.ts';
import { useAccept, useCheck, useForget, useUses } from './api.ts';
import classes from './templates.module.css';

const states: Record<TemplateUse['state'], { tone: Tone; text: string }> = {
  unread: { tone: 'info', text: 'Being checked' },
  held: { tone: 'good', text: 'As the template' },
  drifted: { tone: 'warn', text: 'Different' },
  away: { tone: 'plain', text: 'DNS elsewhere' },
};

/** The domains that a template was applied to, and what each zone has become since. */
export function UseList({ template }: { template: OwnTemplate }) {
  const { id, uses: counts, version } = template;
  const [state, setState] = useState<'drifted' | 'outdated' | undefined>();
  const list = useUses(id, state ? { state } : {});
  const check = useCheck(id);
  const uses = list.data?.pages.flatMap((page) => page.uses);
  const chip = (key: 'drifted' | 'outdated', label: string) => ({
    ...{ key, label, count: counts[key], active: state === key },
    onToggle: () => setState(state === key ? undefined : key),
  });
  return (
    <Card
      flush
      title={counts.total === 1 ? 'In use in 1 domain' : `In use in ${countText(counts.total)} domains`}
      beside={
        <FilterChips
          label="State"
          chips={[chip('drifted', 'Different'), chip('outdated', 'Earlier version')]}
        />
      }
      end={
        counts.total > 0 && (
          <Button
            size="xs"
            variant="default"
            disabled={check.isPending}
            onClick={() => check.mutate(undefined)}
          >
            {check.isPending ? 'Checking...' : 'Check now'}
          </Button>
        )
      }
    >
      {check.error && <ErrorState error={check.error} onRetry={() => check.mutate(undefined)} />}
      {!uses && !list.error && (
        <div role="status" aria-label="Loading domains...">
          <Skeleton height={160} />
        </div>
      )}
      {uses?.length === 0 && (
        <EmptyState
          title={state ? 'No such domains' : 'Not in use yet'}
          text={state ? '' : 'Apply it to domains, and the portal shows here where a zone differs from it.'}
        />
      )}
      {uses && uses.length > 0 && (
        <ul className={classes.uses} aria-label="Domains">
          {uses.map((use) => (
            <Use key={use.domain} template={template} use={use} isPresent={use.version === version} />
          ))}
        </ul>
      )}
      {list.error && <ErrorState error={list.error} onRetry={list.refetch} />}
      <MoreButton list={list} />
    </Card>
  );
}

function Use(props: { template: OwnTemplate; use: TemplateUse; isPresent: boolean }) {
  const { template, use, isPresent } = props;
  const { tone, text } = states[use.state];
  const accept = useAccept(template.id);
  const forget = useForget(template.id);
  const error = accept.error ?? forget.error;
  const acceptText = accept.isPending ? 'Accepting...' : 'Accept into the template';
  const values = Object.entries(use.values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
  return (
    <li>
      <div>
        <DomainName name={use.domain} to={`/domain/${use.domain}/dns`} />
        <p>
          {[use.customer, `version ${use.version}`, values].filter(Boolean).join(' · ')}
          {use.checkedAt && (
            <>
              {' · checked '}
              <DateTime at={use.checkedAt} />
            </>
          )}
        </p>
      </div>
      <Group gap="xs" justify="flex-end">
        {!isPresent && <Chip tone="info">Earlier version</Chip>}
        <Chip tone={tone}>{text}</Chip>
        {use.state === 'drifted' && isPresent && (
          <Button
            size="xs"
            variant="default"
            disabled={accept.isPending}
            aria-label={`${acceptText}: ${use.domain}`}
            onClick={() => accept.mutate({ domain: use.domain, version: template.version })}
          >
            {acceptText}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          disabled={forget.isPending}
          aria-label={`Stop watching ${use.domain}`}
          onClick={() => forget.mutate(use.domain)}
        >
          Stop watching
        </Button>
      </Group>
      {use.drift.length > 0 && (
        <ul className={classes.drift} aria-label={`What is different in ${use.domain}`}>
          {use.drift.map((step) => (
            <li key={`${step.action} ${lineOf(step.record)}`}>
              <Difference step={step} />
            </li>
          ))}
        </ul>
      )}
      <FailureText error={error} />
    </li>
  );
}

function Difference({ step: { action, record, old } }: { step: TemplateUse['drift'][number] }) {
  if (action === 'remove') {
    return (
      <>
        Added there: <code>{lineOf(record)}</code>
      </>
    );
  }
  if (!old) {
    return (
      <>
        Missing: <code>{lineOf(record)}</code>
      </>
    );
  }
  return (
    <>
      Changed: <code>{lineOf(old)}</code> instead of <code>{recordData(record as DnsRecord)}</code>
    </>
  );
}

function lineOf(record: object): string {
  const known = record as DnsRecord;
  return `${known.subdomain || '@'} ${known.type} ${recordData(known)}`;
}
