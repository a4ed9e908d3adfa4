import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import type { FormEvent } from 'react';
import type { CertificateDetail } from '#contracts/operations/certificates.ts';
import { csrText } from '#contracts/values/csr-text.ts';
import { FailureText } from '../../ui/failure.tsx';
import { useParseCsr } from './api.ts';
import { refusalOf } from './use-csr-check.ts';
import { useCsrReissue } from './use-csr-reissue.ts';
import classes from './wizard.module.css';

type CsrData = CertificateDetail['csrData'];

/** P2 §2: the parsed data, in this order. */
const parts: readonly [keyof CsrData, string][] = [
  ['domain', 'Domain'],
  ['organization', 'Organization'],
  ['organization_unit', 'Organization Unit'],
  ['state', 'State'],
  ['locality', 'Locality'],
  ['email', 'Email'],
  ['country', 'Country'],
];

/** What is in the field, and what became of it. The other steps take this one off the screen, and keep it. */
export interface GivenCsr {
  text: string;
  /** What was read, and of which request: typing makes it nobody's, and the reissue sends this request and no other. */
  read: { pem: string; data: CsrData } | null;
  refusal: string | null;
}

/** Step 1: the request as it was ordered, or another one for a reissue. */
export function CsrStep(props: {
  certificate: CertificateDetail;
  /** Null: nothing was typed, and the field has the request as it was ordered. */
  given: GivenCsr | null;
  onGiven: (given: GivenCsr) => void;
  mayChange: boolean;
  onNext: () => void;
  onReissued: () => void;
}) {
  const { certificate } = props;
  const orderId = certificate.orderId ?? '';
  const { csr, csrData } = certificate;
  const { text, read, refusal } = props.given ?? {
    ...{ text: csr, read: { pem: csr, data: csrData }, refusal: null },
  };
  const parse = useParseCsr();
  const { mayChange, onReissued } = props;
  const reissue = useCsrReissue({ certificate, mayChange, typed: text, read: read?.pem ?? null, onReissued });
  const type = (typed: string) => {
    props.onGiven({ text: typed, read: null, refusal: null });
    parse.reset();
  };

  function validate(event: FormEvent) {
    event.preventDefault();
    const given = csrText(text);
    // A private key is not even sent.
    const here = refusalOf(given);
    props.onGiven({ text, read: null, refusal: here });
    if (here !== null || given.kind !== 'csr') return;
    parse.mutate(
      { csr: given.pem, opensrsorderid: orderId },
      {
        onSuccess: ({ csr_data: data }) =>
          props.onGiven({ text, read: { pem: given.pem, data }, refusal: null }),
        onError: (error) => props.onGiven({ text, read: null, refusal: error.message }),
      },
    );
  }

  return (
    <form onSubmit={validate}>
      <Stack>
        <Textarea
          label="CSR"
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
          error={refusal}
          // Another request is for those who may order: nobody else may have one read.
          readOnly={!mayChange}
          autosize
          minRows={8}
          maxRows={16}
          styles={{ input: { fontFamily: 'var(--mono)' } }}
          spellCheck={false}
          autoComplete="off"
        />
        <Group>
          {mayChange && (
            <Button type="submit" variant="default" disabled={parse.isPending || text.trim() === ''}>
              {parse.isPending ? 'Validating...' : 'Validate'}
            </Button>
          )}
          {/* Of another request this takes nothing along: the way on is then the reissue. */}
          <Button variant={reissue.isOther ? 'default' : 'filled'} onClick={props.onNext}>
            Continue
          </Button>
          {reissue.isOffered && (
            <Button disabled={reissue.isPending} onClick={reissue.order}>
              {reissue.isPending ? 'Ordering...' : 'Reissue with this CSR'}
            </Button>
          )}
        </Group>
        {reissue.obstacle !== null && (
          <Text size="sm" c="dimmed" role="status">
            {reissue.obstacle}
          </Text>
        )}
        <FailureText error={reissue.error} size="md" />
        {read && <ParsedCsr data={read.data} />}
      </Stack>
    </form>
  );
}

function ParsedCsr({ data }: { data: CsrData }) {
  if (Object.keys(data).length === 0) return null;
  return (
    <dl className={classes.facts} aria-label="Parsed CSR">
      {parts.map(([key, label]) => (
        <div key={key}>
          <dt>{label}</dt>
          <dd>{data[key] ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
