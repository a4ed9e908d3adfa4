import { Button, Skeleton } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTemplateList } from '../features/templates/api.ts';
import { TemplateEditor } from '../features/templates/template-editor.tsx';
import { TemplateList } from '../features/templates/template-list.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';

/** /changes/templates: sets of records that are applied to many domains and watched there. */
export default function TemplatesScreen() {
  const navigate = useNavigate();
  const [making, setMaking] = useState(false);
  const list = useTemplateList();
  const add = <Button onClick={() => setMaking(true)}>New template</Button>;
  return (
    <Page
      title="Templates"
      below="Records for many domains. The portal remembers where each template was applied, and shows where a zone differs from it."
      above={<Breadcrumbs trail={[{ to: '/changes', label: 'Changes' }]} here="Templates" />}
      action={add}
    >
      {making && (
        <TemplateEditor
          template={null}
          onClose={() => setMaking(false)}
          onSaved={({ id }) =>
            void navigate({ to: '/changes/templates/$templateId', params: { templateId: id } as never })
          }
        />
      )}
      {list.data ? (
        list.data.length === 0 ? (
          <EmptyState
            title="No templates yet"
            text="Write the records of a service once, or paste a public Domain Connect template, and apply it to many domains."
          />
        ) : (
          <TemplateList templates={list.data} />
        )
      ) : list.error ? (
        <ErrorState error={list.error} onRetry={list.refetch} />
      ) : (
        <div role="status" aria-label="Loading templates...">
          <Skeleton height={240} />
        </div>
      )}
    </Page>
  );
}
