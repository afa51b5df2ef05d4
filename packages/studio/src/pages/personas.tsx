/** @file Personas: the gallery and one's own, cards that are dropped in, and the way to the editor and the population. */

import type { PersonaCard } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useRef, useState } from 'react';
import { upload, useAction, useApi } from '../client.ts';
import { count } from '../format.ts';
import { Portrait } from '../parts/portrait.tsx';
import { Problem, When } from '../parts/states.tsx';
import { go, link } from '../router.ts';
import '../house.css';

export function PersonasPage() {
  const { loaded, reload } = useApi('/api/personas', {});
  const [wanted, setWanted] = useState('');
  return (
    <div className="page house">
      <header>
        <h1>Characters</h1>
        <a className="button" href="#/population">
          Sample a population
        </a>
        <a className="button primary" href="#/create">
          Create
        </a>
      </header>
      <Drop />
      <label className="field search">
        <span>Find</span>
        <input type="search" value={wanted} onChange={(event) => setWanted(event.target.value)} placeholder="Name, occupation, or tag" />
      </label>
      <When loaded={loaded} what="personas" retry={reload}>
        {(cards) => {
          const fits = ({ name, line, tags }: PersonaCard) =>
            [name, line, ...tags].join(' ').toLowerCase().includes(wanted.trim().toLowerCase());
          const matching = cards.filter(fits);
          return (
            <>
              <Shelf
                title="Your characters"
                cards={matching.filter(({ source }) => source === 'own')}
                none="No characters yet. Drop a card, create one, or save a copy from the gallery."
              />
              <Shelf title="Gallery" cards={matching.filter(({ source }) => source === 'gallery')} none="No matches." />
            </>
          );
        }}
      </When>
    </div>
  );
}

function Shelf({ title, cards, none }: { readonly title: string; readonly cards: readonly PersonaCard[]; readonly none: string }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {cards.length === 0 ? <p className="muted">{none}</p> : null}
      <ul className="cards">
        {cards.map((card) => (
          <li key={`${card.source} ${card.key}`} className="card">
            <div className="row top">
              <Portrait of={card} />
              <div className="grow">
                <h3 className="text">
                  <a href={link('persona', card.source, card.key)}>{card.name}</a>
                </h3>
                <p className="muted small text">{card.line}</p>
              </div>
            </div>
            {card.problem === null ? (
              <p className="small">
                {count(card.statements, 'statement')}, {count(card.secrets, 'secret')}
              </p>
            ) : (
              <p className="problem small">{card.problem}</p>
            )}
            <p className="row">
              {card.tags.slice(0, 4).map((tag) => (
                <span key={tag} className="badge">
                  {tag.length > 24 ? `${tag.slice(0, 23)}…` : tag}
                </span>
              ))}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Where cards of other programs come in: by dropping them, or by choosing a file. */
function Drop() {
  const { busy, error, run } = useAction();
  const [over, setOver] = useState(false);
  const [existing, setExisting] = useState<{ readonly key: string; readonly name: string } | null>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const take = (file: File | undefined) => {
    if (file === undefined) return;
    run(async () => {
      const { key, persona, isKnown = false } = await upload('/api/personas/import', file);
      if (isKnown) setExisting({ key, name: persona.name });
      else go(link('persona', 'own', key));
    });
  };
  const taking = useRef(take);
  taking.current = take;
  // Wherever it is dropped on the page: a browser would show a file that misses a small target.
  useEffect(() => {
    const drag = (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      taking.current(event.dataTransfer?.files[0]);
    };
    addEventListener('dragover', drag);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', drag);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return (
    <section className={`drop${over ? ' over' : ''}`} aria-label="Import">
      <p>Drop a character card anywhere on this page: PNG, JSON, or CHARX; TinyTroupe, Sotopia, and eliza files work too.</p>
      <input
        ref={chooser}
        type="file"
        className="hidden"
        tabIndex={-1}
        aria-label="Card file"
        accept=".png,.json,.charx,image/png,application/json"
        onChange={(event) => take(event.target.files?.[0])}
      />
      <button type="button" disabled={busy} onClick={() => chooser.current?.click()}>
        {busy ? 'Reading …' : 'Choose a file'}
      </button>
      <p role="status">
        {existing === null ? null : (
          <>
            You already have {existing.name}, exactly as on this card. <a href={link('persona', 'own', existing.key)}>Open</a>
          </>
        )}
      </p>
      <Problem error={error} />
    </section>
  );
}
