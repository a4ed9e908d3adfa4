import type { ReactNode } from 'react';
import type { AttentionItem } from '#contracts/operations/attention.ts';
import { DomainName } from '../../ui/domain-name.tsx';
import { FoldedText } from '../../ui/folded-text.tsx';
import classes from './attention-list.module.css';
import { causesShown } from './causes.ts';

/** What waits for a person: what it is, how much time there is, the one act that helps. */
export function AttentionItems(props: {
  items: readonly AttentionItem[];
  act: (item: AttentionItem) => ReactNode;
  /** Taking over and putting off. */
  menu?: ((item: AttentionItem) => ReactNode) | undefined;
}) {
  return (
    <ul className={classes.attention}>
      {props.items.map((item) => (
        <Item key={item.id} item={item} act={props.act(item)} menu={props.menu?.(item)} />
      ))}
    </ul>
  );
}

function Item({ item, act, menu }: { item: AttentionItem; act: ReactNode; menu: ReactNode }) {
  const { Icon } = causesShown[item.cause];
  return (
    <li>
      <span className={classes.mark} data-level={item.severity}>
        <Icon size={16} stroke={1.8} role="img" aria-label={item.severity === 'now' ? 'Urgent' : 'Soon'} />
      </span>
      <div>
        <strong>
          {item.name && <DomainName name={item.name} copy={false} />} {item.title}
        </strong>
        <span>
          {item.owner && <span className={classes.owner}>{item.owner.name} · </span>}
          <FoldedText about={item.name ?? item.title}>{item.detail}</FoldedText>
        </span>
      </div>
      <span className={`${classes.when} number`}>{item.when}</span>
      <span className={classes.acts}>
        {act}
        {menu}
      </span>
    </li>
  );
}
