import { ActionIcon, CopyButton, Text, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import { RowLink } from './row-link.tsx';

/** A domain name: the name strong, its suffix muted, copied with one click; look-alikes are flagged. */
export function DomainName({
  name,
  size,
  copy = true,
  to,
}: {
  name: string;
  size?: string;
  copy?: boolean;
  /** Makes the name the link of its table row. */
  to?: string;
}) {
  const dot = name.indexOf('.');
  const stem = dot < 0 ? name : name.slice(0, dot);
  const suffix = dot < 0 ? '' : name.slice(dot);
  const text = (
    <Text
      span
      inherit={size === undefined}
      fw={600}
      {...(size ? { size } : {})}
      style={{ overflowWrap: 'anywhere' }}
    >
      {stem}
      <Text span inherit fw={400} c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {suffix}
      </Text>
    </Text>
  );
  return (
    <span className="domain-name">
      {to ? <RowLink to={to}>{text}</RowLink> : text}
      {looksLikeAnother(name) && (
        <Tooltip label="This name uses letters of another script and may look like a different name">
          <IconAlertTriangle size={16} role="img" aria-label="This name may look like a different one" />
        </Tooltip>
      )}
      {copy && <CopyName name={name} />}
    </span>
  );
}

/** Copies a name with one click. */
export function CopyName({ name }: { name: string }) {
  return (
    <CopyButton value={name}>
      {({ copied, copy: run }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={copied ? `${name} copied` : `Copy ${name}`}
          onClick={(event) => {
            event.stopPropagation();
            run();
          }}
        >
          {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}

/** Internationalised names are stored as xn--…; any of them deserves a second look. */
function looksLikeAnother(name: string): boolean {
  return name.split('.').some((label) => label.startsWith('xn--'));
}
