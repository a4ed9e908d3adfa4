import { useNavigate } from '@tanstack/react-router';
import { ChangeSteps } from '../features/changes/change-steps.tsx';
import {
  chosenNames,
  chosenTemplate,
  keepChosenNames,
  keepChosenTemplate,
} from '../features/changes/chosen-names.ts';
import { DescribeForm } from '../features/changes/describe-form.tsx';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { useTemplates } from '../features/dns/api.ts';
import { fieldsOfType } from '../features/dns/record-form.ts';
import { useViews } from '../features/views/api.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { UnreadChoices } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';
import { targetsOfView } from './change-new-views.ts';

/** /changes/new: which domains, and what is to be done in each. */
export default function ChangeNewScreen() {
  const navigate = useNavigate();
  const views = useViews('domains', true);
  const customers = useCustomerChoices();
  const templates = useTemplates(true);
  return (
    <Page
      title="New change"
      above={<Breadcrumbs trail={[{ to: '/changes', label: 'Changes' }]} here="New" />}
    >
      <ChangeSteps change={null} />
      <UnreadChoices of={[views, customers, templates]} />
      <DescribeForm
        names={chosenNames()}
        views={(views.data ?? []).map(targetsOfView)}
        fieldsOf={fieldsOfType}
        customers={customerOptions(customers.data)}
        templates={templates.data ?? []}
        template={chosenTemplate()}
        onMade={({ id }) => {
          keepChosenNames([]);
          keepChosenTemplate('');
          void navigate({ to: '/changes/$changeId', params: { changeId: id } });
        }}
      />
    </Page>
  );
}
