/** @file Search over everything: pages, runs, characters, chats, environments, agents, suites, recipes. Cmd-K or Ctrl-K opens it; arrows and Enter are enough. */

import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useApi } from '../client.ts';
import { runTitle, toTitle } from '../format.ts';
import { pages } from '../pages.ts';
import { go, link, withQuery } from '../router.ts';
import { Dialog } from './dialog.tsx';
import { relativeTime } from './when.tsx';
import './palette.css';

interface PaletteEntry {
  readonly kind: string;
  readonly name: string;
  /** What tells it from others of the same name. */
  readonly about: string;
  readonly to: string;
}

const mostShown = 40;

const places: readonly PaletteEntry[] = pages.flatMap(({ path, nav, title, group }) =>
  nav === undefined && path !== '/' ? [] : [{ kind: 'Page', name: title, about: group ?? '', to: `#${path.split('/:', 1)[0]}` }],
);

const starts: readonly PaletteEntry[] = [
  ['eval', 'Evaluate agents'],
  ['test', 'Test a bot for release'],
  ['arena', 'Run a tournament'],
  ['attack', 'Attack an agent'],
  ['scene', 'Play a scene'],
  ['probe', 'Probe a character'],
  ['survey', 'Survey a population'],
  ['train', 'Train an agent'],
  ['improve', 'Optimize prompts'],
].map(([what = '', name = '']) => ({ kind: 'Action', name, about: 'New run', to: `#/launch?what=${what}` }));

/** Everything that can be opened by name. What has not loaded yet is missing until it has. */
function useEntries(): readonly PaletteEntry[] {
  const { loaded: runs } = useApi('/api/runs', {});
  const { loaded: people } = useApi('/api/personas', {});
  const { loaded: chats } = useApi('/api/chats', { query: { search: '' } });
  const { loaded: choices } = useApi('/api/launch', {});
  return useMemo(() => {
    const entries = [...places, ...starts];
    if (runs.state === 'ready')
      for (const { id, kind, environments, marks, created } of runs.data)
        entries.push({
          kind: kind === 'train' ? 'Training' : kind === 'improve' ? 'Optimization' : 'Run',
          name: runTitle({ id, environments, name: marks.name }),
          about: [created === null ? '' : relativeTime(created), id].filter((part) => part !== '').join(' · '),
          to: link(kind === 'train' ? 'training' : kind === 'improve' ? 'improving' : 'run', id),
        });
    if (people.state === 'ready')
      for (const { source, key, name, line } of people.data)
        entries.push({ kind: 'Character', name, about: line, to: link('persona', source, key) });
    if (chats.state === 'ready')
      for (const { id, title, excerpt } of chats.data) entries.push({ kind: 'Chat', name: title, about: excerpt, to: link('chat', id) });
    if (choices.state === 'ready') {
      const { environments, agents, suites, recipes } = choices.data;
      for (const { name, about } of agents)
        entries.push({ kind: 'Agent', name, about, to: withQuery('#/launch', { what: 'eval', agent: name }) });
      for (const { name, about } of environments)
        entries.push({ kind: 'Environment', name: toTitle(name), about, to: withQuery('#/play', { world: name }) });
      for (const { name, about } of suites)
        entries.push({ kind: 'Suite', name, about, to: withQuery('#/launch', { what: 'eval', suite: name }) });
      for (const { name, about } of recipes)
        entries.push({ kind: 'Recipe', name, about, to: withQuery('#/launch', { what: 'train', recipe: name }) });
    }
    return entries;
  }, [runs, people, chats, choices]);
}

/** Entries that have every word, those whose name starts with the first of them before others. */
function findEntries(entries: readonly PaletteEntry[], typed: string): readonly PaletteEntry[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ name, kind, about }: PaletteEntry): number => {
    const [called, text] = [name.toLowerCase(), `${name} ${kind} ${about}`.toLowerCase()];
    if (!wanted.every((word) => text.includes(word))) return Number.POSITIVE_INFINITY;
    const first = wanted[0] ?? '';
    return called.startsWith(first) ? 0 : called.includes(first) ? 1 : 2;
  };
  return entries
    .map((entry) => [rank(entry), entry] as const)
    .filter(([value]) => Number.isFinite(value))
    .sort(([a], [b]) => a - b)
    .map(([, entry]) => entry);
}

export function Palette({ close }: { readonly close: () => void }) {
  const entries = useEntries();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const matches = useMemo(() => findEntries(entries, typed), [entries, typed]);
  const visibleMatches = matches.slice(0, mostShown);
  const selectedIndex = Math.min(at, visibleMatches.length - 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice is scrolled to.
  useEffect(() => {
    void list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [selectedIndex]);
  const open = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    close();
    go(entry.to);
  };
  const press = (event: KeyboardEvent) => {
    // A search field keeps the first Escape to clear itself.
    if (event.key === 'Escape') {
      event.preventDefault();
      close();
    }
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const move = steps[event.key];
    if (move === undefined) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(visibleMatches.length - 1, selectedIndex + move)));
  };
  return (
    <Dialog title="Search" close={close}>
      <form
        className="palette"
        onSubmit={(event) => {
          event.preventDefault();
          open(visibleMatches[selectedIndex]);
        }}
      >
        <input
          type="search"
          role="combobox"
          aria-label="Search pages, runs, characters, and more"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={visibleMatches.length === 0 ? undefined : `${id}-${selectedIndex}`}
          placeholder="Search pages, runs, characters, environments …"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
        <div ref={list} id={id} role="listbox" aria-label="Results" tabIndex={-1} className="results">
          {visibleMatches.map((entry, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys.
            <div
              key={`${entry.kind} ${entry.to} ${entry.name}`}
              id={`${id}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === selectedIndex}
              onClick={() => open(entry)}
            >
              <span className="badge">{entry.kind}</span>
              <strong className="clip">{entry.name}</strong>
              <span className="muted small clip">{entry.about}</span>
            </div>
          ))}
        </div>
        <p className="muted small" role="status">
          {matches.length === 0
            ? `Nothing matches “${typed}”.`
            : matches.length > mostShown
              ? `${matches.length} matches; keep typing.`
              : ''}
        </p>
      </form>
    </Dialog>
  );
}
