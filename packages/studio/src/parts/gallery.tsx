/** @file Many things to choose one from: groups, a search field, and a card for each. */

import type { Picture } from '@ludus-agents/servers/internal/studio/api';
import { useId, useState } from 'react';
import { useApi } from '../client.ts';
import { Board } from '../stage/boards/index.tsx';
import { Icon, type IconName } from './icons.tsx';
import '../stage/stage.css';

export interface GalleryItem {
  readonly name: string;
  readonly title?: string;
  readonly about: string;
  readonly group: string;
  readonly icon: IconName;
  /** The environment whose picture it has. */
  readonly environment?: string;
  /** Facts in a few letters: "2 players", "needs a model". */
  readonly badges: readonly string[];
}

interface GalleryProps {
  readonly label: string;
  readonly value: string;
  readonly of: readonly GalleryItem[];
  readonly change: (name: string) => void;
}

/** Cards per group that are visible before "Show all". */
const shownFirst = 6;

export function Gallery({ label, value, of, change }: GalleryProps) {
  const [typed, setTyped] = useState('');
  const [group, setGroup] = useState('');
  const id = useId();
  const { loaded } = useApi('/api/pictures', {});
  const pictures: Pictures = loaded.state === 'ready' ? loaded.data : {};
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ name, title = '', about, badges }: GalleryItem) => {
    const text = [name, title, about, ...badges].join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  const groups = Map.groupBy(of.filter(fits), (item) => item.group);
  const names = [...new Set(of.map((item) => item.group))];
  const visibleGroups = [...groups].filter(([name]) => group === '' || name === group);
  return (
    <fieldset className="gallery">
      <legend>
        {label} {value === '' ? null : <span className="badge">{of.find(({ name }) => name === value)?.title ?? value}</span>}
      </legend>
      <div className="row">
        <label className="grow" htmlFor={id}>
          <span className="hidden">Search {label.toLowerCase()}s</span>
          <input
            id={id}
            type="search"
            value={typed}
            placeholder={`Search ${of.length} ${label.toLowerCase()}s`}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        {names.length < 2 ? null : (
          <label>
            <span className="hidden">Group</span>
            <select value={group} onChange={(event) => setGroup(event.target.value)}>
              <option value="">All groups</option>
              {names.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <div className="shelves">
        {visibleGroups.length === 0 ? <p className="muted">No matches.</p> : null}
        {visibleGroups.map(([name, items]) => (
          <Shelf
            key={name}
            name={name}
            items={items}
            value={value}
            change={change}
            pictures={pictures}
            isWhole={group !== '' || wanted.length > 0 || visibleGroups.length === 1}
          />
        ))}
      </div>
    </fieldset>
  );
}

type Pictures = Readonly<Record<string, Picture>>;

interface ShelfProps extends Pick<GalleryProps, 'value' | 'change'> {
  readonly pictures: Pictures;
  readonly name: string;
  readonly items: readonly GalleryItem[];
  readonly isWhole: boolean;
}

function Shelf({ name, items, value, change, pictures, isWhole }: ShelfProps) {
  const [isOpen, setOpen] = useState(false);
  const whole = isWhole || isOpen;
  const visibleItems = whole ? items : items.filter((item, i) => i < shownFirst || item.name === value);
  return (
    <section aria-label={name}>
      <h2>
        {name} <span className="muted small">{items.length}</span>
      </h2>
      <ul className="cards">
        {visibleItems.map((item) => (
          <li key={item.name}>
            <button type="button" className="tile" aria-pressed={item.name === value} onClick={() => change(item.name)}>
              <Thumbnail icon={item.icon} picture={pictures[item.environment ?? item.name]} />
              <span className="row title">
                <strong className="clip">{item.title ?? item.name}</strong>
              </span>
              <span className="small muted lines">{item.about}</span>
              {item.badges.length === 0 ? null : (
                <span className="row">
                  {item.badges.map((badge) => (
                    <span key={badge} className="badge">
                      {badge}
                    </span>
                  ))}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {visibleItems.length < items.length ? (
        <button type="button" className="plain" onClick={() => setOpen(true)}>
          Show all {items.length}
        </button>
      ) : null}
    </section>
  );
}

/** The board after a few moves, small; what is not drawn has the drawing of its shelf. */
function Thumbnail({ icon, picture }: Pick<GalleryItem, 'icon'> & { readonly picture: Picture | undefined }) {
  return (
    <span className="thumbnail" aria-hidden="true" inert>
      {picture === undefined ? (
        <Icon name={icon} size={40} />
      ) : (
        <span className="miniature">
          <Board picture={picture} />
        </span>
      )}
    </span>
  );
}
