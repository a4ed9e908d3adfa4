import { Skeleton, Stack } from '@mantine/core';
import { Navigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../features/changes/api.ts';
import { ChangeActs, ChangeProgress } from '../features/changes/change-acts.tsx';
import { valuesOf } from '../features/changes/change-form.ts';
import { ChangeSteps } from '../features/changes/change-steps.tsx';
import { changeStates } from '../features/changes/change-words.ts';
import { DescribeDialog } from '../features/changes/describe-dialog.tsx';
import { ChangeItemsView } from '../features/changes/item-list.tsx';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { useTemplates } from '../features/dns/api.ts';
import { fieldsOfType } from '../features/dns/record-form.ts';
import { ApiError } from '../lib/api-error.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Chip } from '../ui/chip.tsx';
import { ErrorState, UnreadChoices } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';

/** /changes/{changeId}: every difference before, how far it is meanwhile, what came of it after. */
export default function ChangeScreen() {
  const { changeId = '' } = useParams({ strict: false });
  const found = useChange(changeId);
  const customers = useCustomerChoices();
  const templates = useTemplates(true);
  const [describing, setDescribing] = useState(false);
  const above = (
    <Breadcrumbs trail={[{ to: '/changes', label: 'Changes' }]} here={found.data?.title ?? 'Change'} />
  );
  if (found.error instanceof ApiError && ['not_found', 'validation_failed'].includes(found.error.code)) {
    return <Navigate to="/changes" replace />;
  }
  if (!found.data) {
    return (
      <Page title="Change" above={above}>
        {found.error ? (
          <ErrorState error={found.error} onRetry={found.refetch} />
        ) : (
          <Stack role="status" aria-label="Loading change...">
            <Skeleton height={40} />
            <Skeleton height={320} />
          </Stack>
        )}
      </Page>
    );
  }
  const change = found.data;
  const { tone, text } = changeStates[change.state];
  const values = valuesOf(change);
  return (
    <Page
      title={change.title}
      above={above}
      beside={<Chip tone={tone}>{text}</Chip>}
      below={[change.sentence === change.title ? '' : change.sentence, change.reason]
        .filter(Boolean)
        .join(' · ')}
      action={
        <ChangeActs key={change.state} change={change} describe={values ? () => setDescribing(true) : null} />
      }
    >
      {describing && values && (
        <DescribeDialog
          {...{ change, values }}
          customers={customerOptions(customers.data)}
          templates={templates.data ?? []}
          unread={<UnreadChoices of={[customers, templates]} />}
          fieldsOf={fieldsOfType}
          onClose={() => setDescribing(false)}
        />
      )}
      <ChangeSteps change={change} />
      <Stack gap="md">
        <ChangeProgress change={change} />
        <ChangeItemsView key={change.id} change={change} />
      </Stack>
    </Page>
  );
}
