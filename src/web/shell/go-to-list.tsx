import { useEffect, useRef } from 'react';
import type { Typing } from '../features/domains/search-box.tsx';
import { useChoices } from './choices.ts';
import classes from './go-to-list.module.css';

/** Below the search field while somebody types: what they may want to go to, in groups. Enter searches for a name to buy. */
export default function GoToList({ text, onClose, onDone }: Typing) {
  const panel = useRef<HTMLDivElement>(null);
  const { groups, loading } = useChoices(text, onDone);
  const found = groups.filter(({ title }) => title !== 'Actions');
  const count = found.reduce((sum, { choices }) => sum + choices.length, 0);
  useEffect(() => {
    const onPress = (event: PointerEvent) => {
      if (!panel.current?.parentElement?.contains(event.target as Node)) onClose();
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, [onClose]);
  return (
    <div ref={panel} className={classes.panel} data-empty={count === 0 || undefined}>
      <div className={classes.hint}>
        <kbd>Enter</kbd> searches for a name to buy
        {count > 0 && (
          <>
            , <kbd>↓</kbd> goes to the list
          </>
        )}
      </div>
      {found.map((group) => (
        <section key={group.title} aria-label={group.title}>
          <h2 className={classes.title}>{group.title}</h2>
          <ul>
            {group.choices.map((choice) => (
              <li key={choice.key}>
                <button type="button" data-result onClick={choice.run}>
                  <span>{choice.label}</span>
                  {choice.description && <small>{choice.description}</small>}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <div role="status" className={classes.status}>
        {loading ? 'Searching...' : count === 1 ? '1 match' : `${count} matches`}
      </div>
    </div>
  );
}
