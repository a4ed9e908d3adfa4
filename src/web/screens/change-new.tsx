import { useNavigate } from '@tanstack/react-router';
import { ChangeSteps } from '../features/changes/change-steps.tsx';
import { chosenNames, keepChosenNames } from '../features/changes/chosen-names.ts';
import { DescribeForm } from '../features/changes/describe-form.tsx';
import { fieldInfo, formFields } from '../features/dns/record-form.ts';
import { useViews } from '../features/views/api.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Page } from '../ui/page.tsx';
import { targetsOfView } from './change-new-views.ts';

/** /changes/new: which domains, and what is to be done in each zone. */
export default function ChangeNewScreen() {
  const navigate = useNavigate();
  const views = useViews('domains', true);
  return (
    <Page
      title="New change"
      above={<Breadcrumbs trail={[{ to: '/changes', label: 'Changes' }]} here="New" />}
    >
      <ChangeSteps change={null} />
      <DescribeForm
        names={chosenNames()}
        views={(views.data ?? []).map(targetsOfView)}
        fieldsOf={(type) => formFields[type].map((field) => ({ field, ...fieldInfo(type, field) }))}
        onMade={({ id }) => {
          keepChosenNames([]);
          void navigate({ to: '/changes/$changeId', params: { changeId: id } });
        }}
      />
    </Page>
  );
}
