import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import { countText } from '#contracts/values/format.ts';
import { Card } from '../../ui/card.tsx';
import { Chip } from '../../ui/chip.tsx';
import classes from './templates.module.css';

/** The organization's templates, each with where it is in use and how much of that differs. */
export function TemplateList({ templates }: { templates: readonly OwnTemplate[] }) {
  return (
    <Card flush title="All templates">
      <ul className={classes.uses} aria-label="Templates">
        {templates.map(({ id, name, version, uses }) => (
          <li key={id} className={classes.brief}>
            <div>
              <Anchor
                component={Link}
                to="/changes/templates/$templateId"
                params={{ templateId: id } as never}
                fw={600}
              >
                {name}
              </Anchor>
              <p>
                Version {version} · {usesText(uses.total)}
              </p>
            </div>
            <Group gap="xs" justify="flex-end">
              {uses.drifted > 0 && <Chip tone="warn">{countText(uses.drifted)} different</Chip>}
              {uses.outdated > 0 && (
                <Chip tone="info">{countText(uses.outdated)} with an earlier version</Chip>
              )}
            </Group>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function usesText(total: number): string {
  if (total === 0) return 'not in use';
  return total === 1 ? 'in use in 1 domain' : `in use in ${countText(total)} domains`;
}
