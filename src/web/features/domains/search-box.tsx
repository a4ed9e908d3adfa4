import { IconSearch } from '@tabler/icons-react';
import {
  type FocusEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  useCallback,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { goToEvent, searchFieldId } from '../../lib/search-field.ts';
import { lazily } from '../../ui/lazily.tsx';
import { PlainButton } from '../../ui/plain-button.tsx';
import classes from './search-box.module.css';

/** The rules of names and the list of results are loaded when somebody begins to search. */
const loadResults = () => import('./search-results.tsx');
const SearchResults = lazily(async () => ({ default: (await loadResults()).SearchResults }));

/** What the list below the field knows of it while somebody types. */
export interface Typing {
  /** Of the list; ids of its options begin with it. */
  id: string;
  text: string;
  /** What Enter does as long as nothing else is chosen: it searches for a name to buy, or goes to what was found first. */
  first: 'buy' | 'go';
  buying: boolean;
  /** The list's answer to a key pressed in the field: whether it has used it. */
  keys: RefObject<((key: string) => boolean) | null>;
  onActive: (option: string | null) => void;
  /** Searches for what was typed as a name to buy. */
  onBuy: () => void;
  onClose: () => void;
  /** Something else was found: what was typed is of no use any more. */
  onDone: () => void;
}

export interface SearchBoxProps {
  /** Whether names to buy are searched for; if not, the field is for going to things only. */
  buying: boolean;
  /** In the cart already: a check mark instead of the cart icon. */
  inCart: (address: string) => boolean;
  onAdd: (address: string) => void;
  /** A row was picked: the result screen opens for it, with the other results of the same search. */
  onPick: (address: string, searched: string) => void;
  /** Somebody is about to type. */
  onIntent: () => void;
  /** What is shown below while somebody types, before they search. */
  whileTyping: (typing: Typing) => ReactNode;
}

/** What the field and what drops down from it know. */
function useSearchBox(buying: boolean) {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState<{ domain: string; at: number } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const root = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const keys = useRef<((key: string) => boolean) | null>(null);
  const [opened, setOpened] = useState<Typing['first'] | null>(null);
  const close = useCallback(() => {
    setAsked(null);
    setOpened(null);
  }, []);
  const forget = useCallback(() => {
    close();
    setText('');
    // The screen that opens takes the focus.
    input.current?.blur();
  }, [close]);
  // Before anybody sees the field: the key works from then on.
  useLayoutEffect(() => {
    const field = input.current;
    const onGoTo = () => {
      field?.focus();
      field?.select();
      setAsked(null);
      setProblem(null);
      setOpened('go');
    };
    field?.addEventListener(goToEvent, onGoTo);
    return () => field?.removeEventListener(goToEvent, onGoTo);
  }, []);
  const first = opened === 'buy' && text.trim().length < 2 ? null : opened;

  async function search() {
    if (!buying) return;
    setOpened(null);
    const { parseSearch } = await loadResults();
    const parsed = parseSearch(text);
    setProblem(parsed.ok ? null : parsed.message);
    setAsked(parsed.ok ? { domain: parsed.domain, at: Date.now() } : null);
  }
  function type(typed: string) {
    // P1 §5: lower-cased as typed.
    setText(typed.toLowerCase());
    setProblem(null);
    setAsked(null);
    // What Ctrl K has opened may not be drawn yet when the first letter comes.
    setOpened((now) => (buying && now !== 'go' ? 'buy' : 'go'));
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && (asked || first)) {
      close();
      input.current?.focus();
    }
    if (first && event.target === input.current && keys.current?.(event.key)) event.preventDefault();
    else moveAmongResults(event, root.current, input.current);
  }
  function onBlur(event: FocusEvent) {
    if (event.relatedTarget && !root.current?.contains(event.relatedTarget)) close();
  }
  return { text, type, asked, problem, first, keys, root, input, close, forget, search, onKeyDown, onBlur };
}

/** With the arrows from the field to the rows that were found, and back. */
function moveAmongResults(event: KeyboardEvent, root: HTMLElement | null, input: HTMLElement | null): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const rows = [...(root?.querySelectorAll<HTMLElement>('[data-result]') ?? [])];
  if (rows.length === 0) return;
  event.preventDefault();
  const at = rows.findIndex((row) => row.parentElement?.contains(event.target as Node));
  const next = event.key === 'ArrowDown' ? rows[Math.min(at + 1, rows.length - 1)] : rows[at - 1];
  (next ?? input)?.focus();
}

/** The search of P1 §2: results drop down with status and price; a row opens the result screen, the icon adds. */
export function SearchBox(props: SearchBoxProps) {
  const { buying, inCart, onAdd, onPick, onIntent, whileTyping } = props;
  const box = useSearchBox(buying);
  const { text, asked, problem, first, close } = box;
  const list = useId();
  const [active, setActive] = useState<string | null>(null);
  const name = buying ? 'Search your next domain' : 'Go to a domain or a screen';
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void box.search();
  };
  return (
    <search ref={box.root} className={classes.search} onKeyDown={box.onKeyDown} onBlur={box.onBlur}>
      <form onSubmit={onSubmit} className={classes.form}>
        <span className={classes.field}>
          <IconSearch size={16} aria-hidden />
          <input
            ref={box.input}
            id={searchFieldId}
            className={classes.input}
            role="combobox"
            aria-label={name}
            placeholder={name}
            aria-invalid={problem !== null}
            aria-describedby={buying ? 'domain-search-hint' : undefined}
            aria-expanded={active !== null}
            aria-controls={active === null ? undefined : list}
            aria-activedescendant={active ?? undefined}
            aria-autocomplete="list"
            value={text}
            maxLength={300}
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="off"
            enterKeyHint="search"
            aria-keyshortcuts="/ Control+K"
            onFocus={() => {
              onIntent();
              if (buying) void loadResults();
            }}
            onChange={(event) => box.type(event.currentTarget.value)}
          />
          <kbd aria-hidden>/</kbd>
        </span>
        {buying && (
          <PlainButton type="submit" disabled={text.trim() === ''}>
            Search
          </PlainButton>
        )}
      </form>
      {buying && (
        <p id="domain-search-hint" className={problem ? classes.problem : classes.hint} role="status">
          {problem ?? 'Only .com domains are available at the moment.'}
        </p>
      )}
      {first && (
        <Suspense fallback={null}>
          {whileTyping({
            ...{ id: list, text, first, buying, keys: box.keys, onActive: setActive },
            ...{ onBuy: () => void box.search(), onClose: close, onDone: box.forget },
          })}
        </Suspense>
      )}
      {asked && (
        <Suspense fallback={null}>
          <SearchResults
            key={`${asked.domain} ${asked.at}`}
            asked={asked.domain}
            inCart={inCart}
            onAdd={onAdd}
            onClose={close}
            onPick={(address) => {
              close();
              onPick(address, asked.domain);
            }}
          />
        </Suspense>
      )}
    </search>
  );
}
