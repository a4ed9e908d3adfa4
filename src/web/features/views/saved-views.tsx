import { ActionIcon, Button, Checkbox, Text, TextInput } from '@mantine/core';
import { IconBookmark, IconChevronDown, IconPencil, IconX } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { type SavedView, savedView, type ViewScreen } from '#contracts/operations/views.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { ApiError } from '../../lib/api-error.ts';
import { parseSearchText, writeSearchText } from '../../lib/screen-search.ts';
import { Disclosure } from '../../ui/disclosure.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { showToast } from '../../ui/toast-store.ts';
import { useDeleteView, useRenameView, useSaveView, useViews } from './api.ts';
import classes from './saved-views.module.css';

/** What a view keeps of an address: its filters, order and search, and not the page one happens to be on. */
export function queryOf(searchText: string): string {
  const { page: _, ...kept } = parseSearchText(searchText);
  return writeSearchText(kept).replace('?', '');
}

/** A list under a name: each opens by its address, so that a link to it shows a colleague the same. */
export function SavedViews({ screen, mayManage }: { screen: ViewScreen; mayManage: boolean }) {
  const searchStr = useLocation({ select: (location) => location.searchStr });
  const query = queryOf(searchStr);
  const views = useViews(screen, true);
  const current = views.data?.find((view) => view.query === query);
  // Kept here: the form is gone with the answer, as what is shown has a name then.
  const save = useSaveView(screen);
  return (
    <Disclosure
      label="Saved views"
      align="start"
      className={classes.button}
      button={
        <>
          <IconBookmark size={16} aria-hidden />
          <span>{current?.name ?? 'Views'}</span>
          <IconChevronDown size={14} aria-hidden />
        </>
      }
    >
      {(close) => (
        <div className={classes.panel}>
          {views.error && !views.data && <ErrorState error={views.error} onRetry={views.refetch} />}
          {views.data && <ViewList {...{ screen, mayManage, close }} views={views.data} current={current} />}
          {!current && <SaveForm {...{ screen, query, save }} onSaved={close} />}
        </div>
      )}
    </Disclosure>
  );
}

interface ListProps {
  screen: ViewScreen;
  views: readonly SavedView[];
  current: SavedView | undefined;
  mayManage: boolean;
  close: () => void;
}

function ViewList(props: ListProps) {
  const { screen, views, mayManage } = props;
  const remove = useDeleteView(screen);
  const restore = useSaveView(screen);
  const [renamed, setRenamed] = useState<string | null>(null);
  const onRemoved = ({ name, query, shared }: SavedView) => {
    const undo = () =>
      void restore.mutateAsync({ screen, name, query, shared }).catch((error: Error) => {
        showToast({ text: error.message });
      });
    showToast({ text: `The view ${name} was removed.`, undo });
  };
  return (
    <ul className={classes.list} aria-label="Saved views">
      {views.length === 0 && <li className={classes.none}>No saved views yet.</li>}
      {views.map((view) => (
        <li key={view.id}>
          {view.id === renamed ? (
            <RenameForm view={view} screen={screen} onClose={() => setRenamed(null)} />
          ) : (
            <>
              <ViewLink {...props} view={view} />
              {(view.own || mayManage) && (
                <>
                  <RowAct
                    label={`Rename the view ${view.name}`}
                    icon={<IconPencil size={14} />}
                    onPress={() => setRenamed(view.id)}
                  />
                  <RowAct
                    label={`Remove the view ${view.name}`}
                    icon={<IconX size={14} />}
                    disabled={remove.isPending}
                    onPress={() => remove.mutate(view.id, { onSuccess: () => onRemoved(view) })}
                  />
                </>
              )}
            </>
          )}
        </li>
      ))}
      {remove.error && (
        <li>
          <Text size="sm" c="var(--bad)" role="alert">
            {remove.error.message}
          </Text>
        </li>
      )}
    </ul>
  );
}

function ViewLink({ view, current, close }: ListProps & { view: SavedView }) {
  return (
    <Link
      to="."
      search={parseSearchText(view.query) as never}
      aria-current={view === current || undefined}
      onClick={close}
    >
      {view.name}
      {view.shared && <small>{view.own ? 'shared' : 'shared with you'}</small>}
    </Link>
  );
}

function RowAct(props: { label: string; icon: ReactNode; disabled?: boolean; onPress: () => void }) {
  const { label, icon, disabled = false, onPress } = props;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={label}
      disabled={disabled}
      onClick={onPress}
    >
      {icon}
    </ActionIcon>
  );
}

/** In the place of the view. */
function RenameForm({ view, screen, onClose }: { view: SavedView; screen: ViewScreen; onClose: () => void }) {
  const rename = useRenameView(screen);
  const [name, setName] = useState(view.name);
  // What the person has seen: a colleague may rename it meanwhile, and then it is shown before it is replaced.
  const [shown, setShown] = useState(view.name);
  const field = useRef<HTMLInputElement>(null);
  // The button that opened this is gone.
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === shown) return onClose();
    if (name.trim() === '') return;
    rename.mutate(
      { id: view.id, name, shown },
      {
        onSuccess: onClose,
        onError: (error) => {
          setShown(renamedTo(error) ?? shown);
          field.current?.focus();
        },
      },
    );
  };
  const now = renamedTo(rename.error);
  return (
    <form className={classes.rename} onSubmit={submit}>
      <TextInput
        ref={field}
        size="xs"
        aria-label={`New name of the view ${view.name}`}
        value={name}
        maxLength={mostCharacters.name}
        error={now === null ? rename.error?.message : `Someone else named it ${now} in the meantime.`}
        onChange={(event) => {
          setName(event.currentTarget.value);
          rename.reset();
        }}
      />
      <Button type="submit" size="xs" disabled={name.trim() === '' || rename.isPending}>
        {rename.isPending ? 'Saving...' : 'Save'}
      </Button>
      <Button size="xs" variant="default" disabled={rename.isPending} onClick={onClose}>
        Cancel
      </Button>
    </form>
  );
}

/** What the view is called by now, where a colleague has renamed it. */
function renamedTo(error: Error | null): string | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  return savedView.safeParse(error.data).data?.name ?? null;
}

function SaveForm(props: {
  screen: ViewScreen;
  query: string;
  save: ReturnType<typeof useSaveView>;
  onSaved: () => void;
}) {
  const { screen, query, save, onSaved } = props;
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') save.mutate({ screen, name, query, shared }, { onSuccess: onSaved });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        label="Save this list as"
        placeholder="Lapsing this month"
        value={name}
        maxLength={mostCharacters.name}
        error={save.error?.message}
        onChange={(event) => {
          setName(event.currentTarget.value);
          save.reset();
        }}
      />
      <Checkbox
        size="xs"
        label="Share with my colleagues"
        checked={shared}
        onChange={(event) => setShared(event.currentTarget.checked)}
      />
      <Button type="submit" size="xs" disabled={name.trim() === '' || save.isPending}>
        {save.isPending ? 'Saving...' : 'Save view'}
      </Button>
    </form>
  );
}
