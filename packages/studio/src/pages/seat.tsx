/** @file Your seat: what you see and nothing else, your moves as buttons, and your own words where they are wanted. */

import type { EndEvent, Seat } from '@ludus-agents/kernel/internal/core/index';
import type { EpisodeShown } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useMemo, useRef, useState } from 'react';
import { post, useAction } from '../client.ts';
import { count, formatSigned, toTitle } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { List } from '../parts/list.tsx';
import { Loading, Problem, When } from '../parts/states.tsx';
import { go, link, withQuery } from '../router.ts';
import { Board } from '../stage/boards/index.tsx';
import { useKeys } from '../stage/controls.tsx';
import { useEpisode } from '../stage/episode.ts';
import { type Asked, endOf, openAsk, pictureAt, type Row, rowsOf } from '../stage/fold.ts';
import { EventRow } from '../stage/row.tsx';
import { Status } from '../stage/standing.tsx';
import { useTitle } from '../title.ts';
import '../stage/stage.css';

export function SeatPage({ params }: PageProps) {
  const [id, seat] = [params['id']!, params['seat']!];
  const followed = useEpisode(id, seat);
  return (
    <When loaded={followed.episode.loaded} what="your seat" retry={followed.episode.reload}>
      {(episode) =>
        // With its first events comes its board, which would push the text aside.
        followed.items.length === 0 ? <Loading what="your seat" /> : <Seated episode={episode} seat={seat} followed={followed} />
      }
    </When>
  );
}

interface SeatedProps {
  readonly episode: EpisodeShown;
  readonly seat: Seat;
  readonly followed: ReturnType<typeof useEpisode>;
}

function Seated({ episode, seat, followed: { items, line } }: SeatedProps) {
  useTitle(`${toTitle(episode.environment)}: ${seat}`);
  const rows = useMemo(() => rowsOf(items, { notes: false }), [items]);
  const currentAsk = openAsk(items, seat);
  const end = endOf(items);
  const { now, before } = pictureAt(items, Number.POSITIVE_INFINITY);
  const { busy, error, run } = useAction();
  const param = { id: episode.id };
  const answer = (text: string) => {
    if (currentAsk !== null) run(() => post('/api/episodes/:id/answer', { param, json: { seat, text, turn: currentAsk.turn } }));
  };
  const leave = () => run(() => post('/api/episodes/:id/stop', { param }));
  const mine = episode.people.includes(seat);
  return (
    <div className="page stage seat">
      <header>
        <div className="grow">
          <h1>
            {toTitle(episode.environment)}: you play {seat}
          </h1>
          <p className="muted small">{against(episode, seat)}</p>
        </div>
        <Series series={episode.series} />
        <Status episode={episode} line={line} />
        {end === null && episode.live ? (
          <button type="button" onClick={leave}>
            Leave the game
          </button>
        ) : null}
      </header>
      <p className="hidden" aria-live="polite">
        {lastWords(rows)}
      </p>
      <Seats episode={episode} seat={seat} />
      {mine ? null : <p className="offline">You are watching from this seat’s point of view.</p>}
      <div className={`seat-grid ${now === null ? 'undrawn' : ''}`}>
        {now === null ? null : (
          <aside className="card board" aria-label="The world">
            <Board picture={now} before={before} {...(currentAsk === null || !mine || busy ? {} : { choose: answer })} />
          </aside>
        )}
        <div className="card transcript">
          <List
            label="What you see"
            items={rows}
            keyOf={({ index }) => index}
            follow
            row={(row) => <EventRow row={row} episode={episode} you={mine ? seat : null} />}
          />
          <Problem error={error} />
          {end === null ? (
            <Answer asked={mine ? currentAsk : null} busy={busy} answer={answer} />
          ) : (
            <Result end={end} episode={episode} seat={seat} />
          )}
        </div>
      </div>
    </div>
  );
}

/** Who else sits there, by name. */
function against({ seats, faces }: EpisodeShown, seat: Seat): string {
  const others = seats.filter((other) => other !== seat).map((other) => `${faces[other]?.name ?? '?'} on ${other}`);
  return others.length === 0 ? 'You play alone.' : `You play against ${others.join(', ')}.`;
}

/** The running score over the games that followed each other. */
function Series({ series }: { readonly series: EpisodeShown['series'] }) {
  if (series === null || series.games === 0) return null;
  const { games, won, drawn, lost, total } = series;
  return (
    <p className="badge series" role="status">
      {count(games, 'game')}: {won} won, {drawn} drawn, {lost} lost · you {formatSigned(total)}
    </p>
  );
}

/** Who plays several seats goes from one to the other. */
function Seats({ episode, seat }: { readonly episode: EpisodeShown; readonly seat: Seat }) {
  if (episode.people.length < 2) return null;
  return (
    <nav className="row" aria-label="Your seats">
      {episode.people.map((person) => (
        <a key={person} className="button" href={link('seat', episode.id, person)} aria-current={person === seat ? 'page' : undefined}>
          {person}
        </a>
      ))}
    </nav>
  );
}

/** For who listens instead of reading. */
function lastWords(rows: readonly Row[]): string {
  const event = rows.at(-1)?.item.event;
  if (event?.kind === 'message') return event.from === undefined ? event.text : `${event.from}: ${event.text}`;
  return event?.kind === 'action' ? `${event.seat}: ${event.action.text}` : '';
}

/** More moves than this are found faster by typing. */
const mostButtons = 30;

function Answer({
  asked,
  busy,
  answer,
}: {
  readonly asked: Asked | null;
  readonly busy: boolean;
  readonly answer: (text: string) => void;
}) {
  const [text, setText] = useState('');
  const box = useRef<HTMLTextAreaElement>(null);
  const waits = asked !== null;
  const turn = asked?.turn;
  const choices = asked?.ask.choices ?? [];
  const chooses = choices.length > 0;
  // Text stays in the box until it is accepted: a turn that arrives while the user types doesn't delete it.
  const wasSent = useRef(false);
  useEffect(() => {
    if (turn === undefined) return;
    if (wasSent.current) setText('');
    wasSent.current = false;
    // Moves are chosen by their numbers; words need the box.
    if (!chooses) box.current?.focus({ preventScroll: true });
  }, [turn, chooses]);
  const give = (move: string) => {
    wasSent.current = true;
    answer(move);
  };
  const submit = () => {
    if (text.trim() !== '') give(text);
  };
  const keys = keysFor(choices);
  useKeys(Object.fromEntries(choices.flatMap((choice, i) => (keys[i] === undefined ? [] : [[keys[i], () => busy || give(choice)]]))));
  return (
    <form className="answer-form" action={submit}>
      <p className="turn" role="status">
        {waits ? (choices.length > 0 ? 'Your move.' : 'It is your turn to speak.') : 'Waiting for the others…'}
      </p>
      <div className="row moves">
        {choices.slice(0, mostButtons).map((choice, i) => (
          <button
            key={choice}
            type="button"
            disabled={busy}
            onClick={() => give(choice)}
            title={keys[i] === undefined ? undefined : `Key ${keys[i]}`}
          >
            {keys[i] !== undefined && keys[i] !== bare(choice) && choices.length > 1 ? (
              <span aria-hidden="true" className="key">
                {keys[i]}
              </span>
            ) : null}
            {bare(choice)}
          </button>
        ))}
        {choices.length > mostButtons ? <span className="muted small">and {choices.length - mostButtons} more: type one</span> : null}
      </div>
      <div className="row">
        <label className="grow">
          <span className="hidden">Your answer</span>
          <textarea
            ref={box}
            rows={choices.length > 0 ? 1 : 2}
            value={text}
            maxLength={20_000}
            disabled={!waits || busy}
            placeholder={placeholderFor(choices)}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey) {
                event.preventDefault();
                submit();
              }
            }}
          />
        </label>
        <button type="submit" className="primary" disabled={!waits || busy || text.trim() === ''}>
          Send
        </button>
      </div>
    </form>
  );
}

function bare(choice: string): string {
  return choice.replace(/^\[(.*)\]$/s, '$1');
}

/** A key for each of the first moves. Moves that are digits themselves, such as cells of a board, are their own keys. */
function keysFor(choices: readonly string[]): readonly (string | undefined)[] {
  const areDigits = choices.every((choice) => /^\d$/.test(bare(choice)));
  return choices.map((choice, i) => (areDigits ? bare(choice) : i < 9 ? String(i + 1) : undefined));
}

function placeholderFor(choices: readonly string[]): string {
  if (choices.length === 0 || choices.some((choice) => choice.startsWith('[speak "'))) return 'Say something…';
  return 'or type an action; /say sends plain text';
}

function Result({ end, episode, seat }: { readonly end: EndEvent; readonly episode: EpisodeShown; readonly seat: Seat }) {
  const mine = end.returns[seat] ?? 0;
  const { busy, error, run } = useAction();
  const again = (alternate: boolean) =>
    run(async () => {
      const { episode: next, people } = await post('/api/episodes/:id/again', { param: { id: episode.id }, json: { alternate } });
      go(link('seat', next, people.length === 1 ? people[0]! : seat));
    });
  useKeys({ n: () => busy || again(true), Enter: () => busy || again(true) });
  return (
    <div className="result" role="status">
      <p>
        <strong>{end.reason === 'abort' ? 'You left the game.' : `Game over. Your return: ${formatSigned(mine)}.`}</strong>
      </p>
      <div className="row">
        <button
          type="button"
          className="primary"
          disabled={busy}
          onClick={() => again(true)}
          title="Key n: the same opponents, seats alternate"
        >
          {busy ? 'Starting …' : 'Next game'}
        </button>
        <button type="button" disabled={busy} onClick={() => again(false)}>
          Same seat again
        </button>
        <a className="button" href={link('e', episode.id)}>
          Show the full episode
        </a>
        <a className="button" href={tableAddress(episode, seat)}>
          Change players
        </a>
      </div>
      <Problem error={error} />
    </div>
  );
}

/** The form that this game was begun with: the same world, parameters, opponents and seat. */
function tableAddress({ environment, task, table }: EpisodeShown, seat: Seat): string {
  const parameters = task !== null && typeof task === 'object' && Object.keys(task).length > 0 ? JSON.stringify(task) : undefined;
  return withQuery('#/play', { world: environment.split('@', 1)[0], seat, ...table, task: parameters });
}
