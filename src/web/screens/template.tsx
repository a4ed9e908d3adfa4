import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { Navigate, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import { templateText } from '#contracts/values/template-text.ts';
import { flatRecords } from '#contracts/values/zone-changes.ts';
import { ChangeButton } from '../features/changes/change-buttons.tsx';
import { keepChosenTemplate } from '../features/changes/chosen-names.ts';
import { bringBackLabel, rollOutLabel } from '../features/templates/act-labels.ts';
import { namesOf, useDelete, useTemplateList } from '../features/templates/api.ts';
import { TemplateEditor } from '../features/templates/template-editor.tsx';
import { templateShown } from '../features/templates/template-form.ts';
import classes from '../features/templates/templates.module.css';
import { UseList } from '../features/templates/use-list.tsx';
import { AskedButton } from '../ui/asked-button.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Card } from '../ui/card.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';

const trail = [
  { to: '/changes', label: 'Changes' },
  { to: '/changes/templates', label: 'Templates' },
];

/** /changes/templates/{templateId}: its records, where it is in use, and what differs there. */
export default function TemplateScreen() {
  const { templateId = '' } = useParams({ strict: false }) as { templateId?: string };
  const list = useTemplateList();
  const [edited, setEdited] = useState<OwnTemplate | null>(null);
  if (!list.data) {
    return (
      <Page title="Template" above={<Breadcrumbs trail={trail} here="Template" />}>
        {list.error ? (
          <ErrorState error={list.error} onRetry={list.refetch} />
        ) : (
          <div role="status" aria-label="Loading template...">
            <Skeleton height={320} />
          </div>
        )}
      </Page>
    );
  }
  const template = templateShown(list.data, templateId, edited);
  if (!template) return <Navigate to={'/changes/templates' as never} replace />;
  return <Shown template={template} editing={edited?.id === template.id} onEdit={setEdited} />;
}

function Shown(props: {
  template: OwnTemplate;
  editing: boolean;
  onEdit: (template: OwnTemplate | null) => void;
}) {
  const { template, editing, onEdit } = props;
  const { id, name, version, uses, variables } = template;
  const request = { kind: 'apply-template' as const, templateId: id, version, values: {} };
  return (
    <Page
      title={name}
      above={<Breadcrumbs trail={trail} here={name} />}
      below={`Version ${version}`}
      action={<Acts template={template} onEdit={() => onEdit(template)} />}
    >
      {editing && (
        <TemplateEditor template={template} onClose={() => onEdit(null)} onSaved={() => onEdit(null)} />
      )}
      <Stack gap="md">
        <Card
          title="Records"
          end={
            <Group gap="xs">
              {uses.drifted > 0 && (
                <ChangeButton
                  names={() => namesOf(id, { state: 'drifted' })}
                  request={request}
                  title={`Bring ${name} back`}
                  label={bringBackLabel(uses.drifted)}
                />
              )}
              {uses.outdated > 0 && (
                <ChangeButton
                  names={() => namesOf(id, { state: 'outdated' })}
                  request={request}
                  title={`Roll out version ${version} of ${name}`}
                  label={rollOutLabel(uses.outdated)}
                />
              )}
            </Group>
          }
        >
          <pre className={classes.records}>{templateText(flatRecords(template.records))}</pre>
          {variables.map(({ key, label }) => (
            <div key={key}>
              <code>{`{${key}}`}</code> {label}
            </div>
          ))}
        </Card>
        <UseList template={template} />
      </Stack>
    </Page>
  );
}

function Acts({ template, onEdit }: { template: OwnTemplate; onEdit: () => void }) {
  const navigate = useNavigate();
  const remove = useDelete(template.id);
  const apply = () => {
    keepChosenTemplate(template.id);
    void navigate({ to: '/changes/new' });
  };
  return (
    <Group gap="xs">
      <AskedButton
        label="Delete"
        button={{ c: 'var(--bad)' }}
        title="Delete this template?"
        runningLabel="Deleting..."
        running={remove.isPending}
        error={remove.error}
        danger
        onConfirm={() =>
          remove.mutate(undefined, {
            onSuccess: () => void navigate({ to: '/changes/templates' as never }),
          })
        }
      >
        Zones that use it do not change. The portal does not watch them for it any more.
      </AskedButton>
      <Button variant="default" onClick={onEdit}>
        Change
      </Button>
      <Button onClick={apply}>Apply to domains</Button>
    </Group>
  );
}
