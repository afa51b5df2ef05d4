/** @file Review: a queue of episodes that get a label and a reason, all by keyboard, or two that are compared without knowing who played. */

import type { ReviewShown } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useRef, useState } from 'react';
import { post, useAction, useApi } from '../client.ts';
import { count, formatGrouped } from '../format.ts';
import { useKept } from '../kept.ts';
import type { PageProps } from '../pages.ts';
import { AreaField, SelectField, TextField } from '../parts/form.tsx';
import { Empty, Problem, When } from '../parts/states.tsx';
import { Time } from '../parts/when.tsx';
import { Rubric, RubricField, Shares, Team } from '../review/settings.tsx';
import { Transcript } from '../review/transcript.tsx';
import { link, settle, withQuery } from '../router.ts';
import '../house.css';

export function ReviewPage({ query }: PageProps) {
  const [by, setBy] = useKept('reviewer', 'me');
  const [rubric, setRubric] = useKept('rubric', '');
  const [typed, setTyped] = useKept('labels', '');
  const labels = typed
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
  const [run, pairs] = [query.get('run') ?? '', query.get('mode') === 'pairs'];
  const { loaded, reload } = useApi('/api/reviews', { query: { by: by === '' ? 'me' : by, run } });
  const set = (part: Readonly<Record<string, string>>) => settle(withQuery('#/review', { run, mode: pairs ? 'pairs' : '', ...part }));
  return (
    <div className="page house review">
      <header>
        <h1>Review</h1>
      </header>
      <When loaded={loaded} what="review queue" retry={reload}>
        {(work) => (
          <div className={rubric === '' ? '' : 'with-rubric'}>
            {pairs ? (
              <Pair found={work} by={by} done={reload} />
            ) : (
              <Queue key={`${by} ${run}`} found={work} by={by} labels={labels} done={reload} />
            )}
            {rubric === '' ? null : <Rubric name={rubric} />}
          </div>
        )}
      </When>
      <div className="fields">
        <SelectField
          label="Mode"
          value={pairs ? 'pairs' : ''}
          of={[
            ['', 'Label one at a time'],
            ['pairs', 'Blind A/B comparison'],
          ]}
          change={(mode) => set({ mode })}
        />
        <RubricField value={rubric} change={setRubric} />
        {pairs ? null : (
          <TextField label="Labels" about="up to five, separated by commas; default: good, bad, unclear" value={typed} change={setTyped} />
        )}
        <TextField label="Reviewer" value={by} change={setBy} />
        <TextField label="Run" about="Leave empty for all runs" value={run} change={(value) => set({ run: value })} />
      </div>
      {loaded.state === 'ready' ? (
        <>
          <Team found={loaded.data} by={by} />
          <Shares key={run} found={loaded.data} run={run} done={reload} />
          <Earlier found={loaded.data} />
        </>
      ) : null}
    </div>
  );
}

interface TurnProps {
  readonly found: ReviewShown;
  readonly by: string;
  readonly done: () => void;
}

/** Keys that act while nothing is being typed. */
function useReviewKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select') !== null;
      if (isTyping && event.key === 'Escape') (event.target as HTMLElement).blur();
      const act = latest.current[event.key];
      if (isTyping || act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** What was said last, and can be taken back: about an episode, or one of its turns. */
interface Said {
  readonly episode: string;
  readonly event?: number;
}

interface QueueProps extends TurnProps {
  /** Labels that the reviewer has named; empty for those in use. */
  readonly labels: readonly string[];
}

function Queue({ found: { queue, looked, isMore, labels, people }, by, labels: ownLabels, done }: QueueProps) {
  // What was skipped waits until the page is opened again; `place` is where the reader is in the rest.
  const [skipped, setSkipped] = useState<readonly string[]>([]);
  const [labeled, setLabeled] = useState<readonly Said[]>([]);
  /** Counts what has been stored or withdrawn. */
  const [revision, setRevision] = useState(0);
  const [place, setPlace] = useState(0);
  const [turn, setTurn] = useState<number | null>(null);
  const [turns, setTurns] = useState<readonly number[]>([]);
  const [reason, setReason] = useState('');
  const [custom, setCustom] = useState('');
  const { busy, error, run } = useAction();
  const stored = useRef<Promise<void>>(Promise.resolve());
  const box = useRef<HTMLTextAreaElement | null>(null);
  const waiting = queue.filter(
    (id) => !skipped.includes(id) && !labeled.some(({ episode, event }) => event === undefined && episode === id),
  );
  const at = Math.min(place, Math.max(0, waiting.length - 1));
  const next = waiting[at] ?? null;
  const offered = (ownLabels.length > 0 ? ownLabels : labels).slice(0, 5);
  useEffect(() => {
    if (next !== null) setTurn(null);
  }, [next]);
  const fresh = labeled.filter(({ episode, event }) => event === undefined && queue.includes(episode)).length;
  const labeledCount = (people.find((person) => person.by === by)?.labeled ?? 0) + fresh;
  const total = waiting.length + labeledCount;
  // The next episode is shown at once, so that the next key is not lost while a label is being stored.
  const save = (label: string) => {
    if (next === null || label === '') return;
    const subject: Said = turn === null ? { episode: next } : { episode: next, event: turn };
    const json = { ...subject, label, by, ...(reason.trim() === '' ? {} : { reason }) };
    setLabeled((before) => [...before, subject]);
    setReason('');
    setCustom('');
    run(async () => {
      const current = stored.current.then(() => post('/api/reviews', { json }));
      stored.current = current.then(
        () => setRevision((before) => before + 1),
        () => setLabeled((before) => before.filter((other) => other !== subject)),
      );
      await current;
      done();
    });
  };
  const undo = () => {
    const last = labeled.at(-1);
    if (last === undefined) return void setSkipped((before) => before.slice(0, -1));
    run(async () => {
      await stored.current;
      await post('/api/reviews/undo', { json: { ...last, by } });
      setLabeled((before) => before.filter((other) => other !== last));
      setRevision((before) => before + 1);
      if (last.event === undefined) setPlace(0);
      done();
    });
  };
  useReviewKeys({
    j: () => setPlace(Math.min(at + 1, waiting.length - 1)),
    k: () => setPlace(Math.max(0, at - 1)),
    s: () => next !== null && setSkipped([...skipped, next]),
    u: undo,
    r: () => box.current?.focus(),
    ArrowDown: () => setTurn(turns.find((event) => event > (turn ?? -1)) ?? turn),
    ArrowUp: () => setTurn(turns.findLast((event) => event < (turn ?? 0)) ?? null),
    Escape: () => setTurn(null),
    ...Object.fromEntries(offered.map((label, i) => [String(i + 1), () => save(label)])),
  });
  const status = `${count(labeledCount, 'episode')} labeled, ${waiting.length} to go${isMore ? ' among the newest' : ''}.`;
  if (next === null)
    return (
      <Empty title="Nothing to review">
        <p>
          {looked === 0
            ? 'No episodes yet. Start a run, then label its episodes here with the keys 1 to 5.'
            : 'You have labeled or skipped every episode.'}
        </p>
        {labeled.length + skipped.length === 0 ? null : (
          <button type="button" onClick={undo}>
            Undo{' '}
            <span aria-hidden="true" className="kbd">
              u
            </span>
          </button>
        )}
      </Empty>
    );
  return (
    <section className="card" aria-label="Review queue">
      <div className="row">
        <p role="status" className="grow">
          {status}
        </p>
        <span className="muted small">
          {at + 1} of {waiting.length}
        </span>
      </div>
      <progress max={Math.max(1, total)} value={labeledCount} aria-label="Progress" />
      <div className="row labels">
        {offered.map((label, i) => (
          <button key={label} type="button" onClick={() => save(label)}>
            <span aria-hidden="true" className="kbd">
              {i + 1}
            </span>{' '}
            {label}
          </button>
        ))}
        <button type="button" onClick={() => setSkipped([...skipped, next])}>
          <span aria-hidden="true" className="kbd">
            s
          </span>{' '}
          Skip
        </button>
        <button type="button" disabled={busy || labeled.length + skipped.length === 0} onClick={undo}>
          <span aria-hidden="true" className="kbd">
            u
          </span>{' '}
          Undo
        </button>
        <span className="muted small">
          <kbd>j</kbd> next · <kbd>k</kbd> previous · <kbd>↓</kbd> <kbd>↑</kbd> turn · <kbd>r</kbd> reason
        </span>
      </div>
      <Problem error={error} />
      {turn === null ? null : (
        <p className="small">
          Labels apply to the selected turn. <kbd>Esc</kbd> selects the complete episode again.
        </p>
      )}
      <Transcript key={next} id={next} turn={turn} choose={setTurn} by={by} revision={revision} found={setTurns} />
      <div className="row level wraps">
        <label className="field grow roomy">
          <span>Reason</span>
          <textarea ref={box} rows={2} value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
        <TextField label="Other label" value={custom} change={setCustom} />
        <button type="button" disabled={busy || custom.trim() === ''} onClick={() => save(custom.trim())}>
          Save label
        </button>
      </div>
    </section>
  );
}

function Pair({ found: { pair }, by, done }: TurnProps) {
  const [reason, setReason] = useState('');
  const { busy, error, run } = useAction();
  const [episode = '', against = ''] = pair ?? [];
  const say = (label: string) => {
    if (pair === null || busy) return;
    run(async () => {
      await post('/api/reviews', { json: { episode, against, label, by, ...(reason.trim() === '' ? {} : { reason }) } });
      setReason('');
      done();
    });
  };
  useReviewKeys({ '1': () => say('episode'), '2': () => say('tie'), '3': () => say('against') });
  if (pair === null)
    return (
      <Empty title="No pairs to review">
        <p>A pair is the same task and seed played by different agents. You have judged all of them.</p>
      </Empty>
    );
  return (
    <section className="card" aria-label="Choose the better one">
      <p>Two agents played the same task with the same seed. Names are shown after you choose.</p>
      <div className="row labels">
        {(
          [
            ['episode', 'A is better'],
            ['tie', 'Tie'],
            ['against', 'B is better'],
          ] as const
        ).map(([label, name], i) => (
          <button key={label} type="button" disabled={busy} onClick={() => say(label)}>
            <span aria-hidden="true" className="kbd">
              {i + 1}
            </span>{' '}
            {name}
          </button>
        ))}
      </div>
      <Problem error={error} />
      <div className="halves">
        <Transcript id={episode} title="A" />
        <Transcript id={against} title="B" />
      </div>
      <AreaField label="Reason" value={reason} change={setReason} />
    </section>
  );
}

/** Reviews that the page opens with. */
const mostReviews = 12;

function Earlier({ found: { reviews } }: { readonly found: ReviewShown }) {
  const [isWhole, setWhole] = useState(false);
  if (reviews.length === 0) return null;
  return (
    <section aria-label="Reviews">
      <h2>Reviews</h2>
      <ul className="plain-list">
        {(isWhole ? reviews : reviews.slice(0, mostReviews)).map(({ episode, against, label, reason, by, at }) => (
          <li key={`${by} ${episode} ${against ?? ''}`}>
            <span className="badge">{against === undefined ? label : label === 'tie' ? 'tie' : 'better'}</span>{' '}
            <a href={link('e', label === 'against' ? (against ?? episode) : episode)}>
              {against === undefined || label === 'tie' ? 'Open episode' : 'Open the better episode'}
            </a>
            {against === undefined ? null : (
              <>
                {' '}
                · <a href={link('e', label === 'against' ? episode : against)}>Open the other</a>
              </>
            )}{' '}
            <span className="muted small">
              {by}, <Time at={at} />
              {reason === undefined ? '' : `: ${reason}`}
            </span>
          </li>
        ))}
      </ul>
      {isWhole || reviews.length <= mostReviews ? null : (
        <button type="button" className="plain" onClick={() => setWhole(true)}>
          Show all {formatGrouped(reviews.length)} reviews
        </button>
      )}
    </section>
  );
}
