import { Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import { RowLink } from './row-link.tsx';

/** A domain name: the name strong, its suffix muted, copied with one click; look-alikes are flagged. */
export function DomainName({
  name,
  large = false,
  copy = true,
  to,
}: {
  name: string;
  large?: boolean;
  copy?: boolean;
  /** Makes the name the link of its table row. */
  to?: string;
}) {
  const dot = name.indexOf('.');
  const stem = dot < 0 ? name : name.slice(0, dot);
  const suffix = dot < 0 ? '' : name.slice(dot);
  const text = (
    <span className="domain-stem" data-large={large || undefined}>
      {stem}
      <span>{suffix}</span>
    </span>
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

/** Copies a name with one click. Lists have one a row, so it is the browser's own button. */
export function CopyName({ name }: { name: string }) {
  const { copied, copy } = useClipboard();
  return (
    <button
      type="button"
      className="domain-copy"
      aria-label={copied ? `${name} copied` : `Copy ${name}`}
      onClick={(event) => {
        event.stopPropagation();
        copy(name);
      }}
    >
      {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
    </button>
  );
}

/** Internationalised names are stored as xn--…; any of them deserves a second look. */
function looksLikeAnother(name: string): boolean {
  return name.split('.').some((label) => label.startsWith('xn--'));
}
