/** @file Review: one episode after the other gets a label and a reason, or two are compared without knowing who played. */

import type { BlindText, ReviewShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { post, useAction, useApi } from '../client.ts';
import { brief, count, toTitle } from '../format.ts';
import { useKept } from '../kept.ts';
import type { PageProps } from '../pages.ts';
import { AreaField, SelectField, TextField } from '../parts/form.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { Empty, Problem, When } from '../parts/states.tsx';
import { link, settle, withQuery } from '../router.ts';
import '../house.css';

export function ReviewPage({ query }: PageProps) {
  const [by, setBy] = useKept('reviewer', 'me');
  const [run, pairs] = [query.get('run') ?? '', query.get('mode') === 'pairs'];
  const { loaded, reload } = useApi('/api/reviews', { query: { by: by === '' ? 'me' : by, run } });
  const set = (part: Readonly<Record<string, string>>) => settle(withQuery('#/review', { run, mode: pairs ? 'pairs' : '', ...part }));
  return (
    <div className="page house">
      <header>
        <h1>Review</h1>
      </header>
      <div className="fields">
        <TextField label="Who reviews" value={by} change={setBy} />
        <TextField label="Only the run" about="empty for all" value={run} change={(value) => set({ run: value })} />
        <SelectField
          label="How"
          value={pairs ? 'pairs' : ''}
          of={[
            ['', 'one after the other'],
            ['pairs', 'two at a time, blind'],
          ]}
          change={(mode) => set({ mode })}
        />
      </div>
      <When loaded={loaded} what="what waits for review" retry={reload}>
        {(found) => (
          <>
            {pairs ? <Pair found={found} by={by} done={reload} /> : <One found={found} by={by} done={reload} />}
            <Said found={found} />
          </>
        )}
      </When>
    </div>
  );
}

interface TurnProps {
  readonly found: ReviewShown;
  readonly by: string;
  readonly done: () => void;
}

function One({ found: { next, waiting, looked, isMore, labels }, by, done }: TurnProps) {
  const [reason, setReason] = useState('');
  const [own, setOwn] = useState('');
  const { busy, error, run } = useAction();
  if (next === null)
    return (
      <Empty title="Nothing waits">
        {looked === 0 ? 'No episode is here yet: start something on the first page.' : 'Every episode here has your label.'}
      </Empty>
    );
  const say = (label: string) =>
    run(async () => {
      await post('/api/reviews', { json: { episode: next, label, by, ...(reason.trim() === '' ? {} : { reason }) } });
      setReason('');
      setOwn('');
      done();
    });
  return (
    <section className="card" aria-label="Label it">
      <p role="status">
        {count(waiting, 'episode')} without your label{isMore ? ', of the newest ones' : ''}.
      </p>
      <Text id={next} />
      <AreaField label="Reason" about="why; a sentence is enough" value={reason} change={setReason} />
      <Problem error={error} />
      <div className="row level">
        {labels.slice(0, 8).map((label) => (
          <button key={label} type="button" disabled={busy} onClick={() => say(label)}>
            {label}
          </button>
        ))}
        <TextField label="Another label" value={own} change={setOwn} />
        <button type="button" disabled={busy || own.trim() === ''} onClick={() => say(own.trim())}>
          Label it so
        </button>
      </div>
    </section>
  );
}

function Pair({ found: { pair }, by, done }: TurnProps) {
  const [reason, setReason] = useState('');
  const { busy, error, run } = useAction();
  if (pair === null)
    return <Empty title="No pair waits">Pairs are episodes of one task and seed by other agents; you have judged all there are.</Empty>;
  const [episode, against] = pair;
  const say = (label: string) =>
    run(async () => {
      await post('/api/reviews', { json: { episode, against, label, by, ...(reason.trim() === '' ? {} : { reason }) } });
      setReason('');
      done();
    });
  return (
    <section className="card" aria-label="Choose one">
      <p>The same task with the same dice, played by others. Who they are is told when you have chosen.</p>
      <div className="halves">
        <Text id={episode} called="The left one" />
        <Text id={against} called="The right one" />
      </div>
      <AreaField label="Reason" value={reason} change={setReason} />
      <Problem error={error} />
      <div className="row">
        <button type="button" disabled={busy} onClick={() => say('episode')}>
          The left one is better
        </button>
        <button type="button" disabled={busy} onClick={() => say('tie')}>
          Neither is
        </button>
        <button type="button" disabled={busy} onClick={() => say('against')}>
          The right one is better
        </button>
      </div>
    </section>
  );
}

function Text({ id, called }: { readonly id: string; readonly called?: string }) {
  const { loaded, reload } = useApi('/api/reviews/text/:id', { param: { id } });
  return (
    <When loaded={loaded} what="episode" retry={reload}>
      {({ environment, lines }: BlindText) => (
        <div>
          <h2>{called ?? toTitle(environment)}</h2>
          <Scroll label={called ?? 'What was said'}>
            <ol className="script">
              {lines.map(({ who, text }, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines are numbered.
                <li key={i} className="script-line">
                  {who === '' ? null : <strong>{who}: </strong>}
                  <span className="text">{text}</span>
                </li>
              ))}
            </ol>
          </Scroll>
        </div>
      )}
    </When>
  );
}

function Said({ found: { reviews } }: { readonly found: ReviewShown }) {
  if (reviews.length === 0) return null;
  return (
    <section aria-label="What was said before">
      <h2>Reviews</h2>
      <ul className="plain-list">
        {reviews.map(({ episode, against, label, reason, by }) => (
          <li key={`${by} ${episode} ${against ?? ''}`}>
            <span className="badge">{against === undefined ? label : label === 'tie' ? 'a tie' : 'chosen'}</span>{' '}
            <a href={link('e', label === 'against' ? (against ?? episode) : episode)}>
              {brief(label === 'against' ? (against ?? episode) : episode)}
            </a>
            {against === undefined ? null : (
              <>
                {' '}
                over <a href={link('e', label === 'against' ? episode : against)}>{brief(label === 'against' ? episode : against)}</a>
              </>
            )}{' '}
            <span className="muted small">
              {by}
              {reason === undefined ? '' : `: ${reason}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
