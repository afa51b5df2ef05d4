/** @file What a review queue is set up with: who reviews which share, the labels, and the rubric; and how far people have come and agree. */

import type { ReviewShown } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { post, useAction, useApi } from '../client.ts';
import { count, toTitle } from '../format.ts';
import { NumberField, SelectField, TextField } from '../parts/form.tsx';
import { Problem, When } from '../parts/states.tsx';

/** The rubric that is shown next to the episode. */
export function RubricField({ value, change }: { readonly value: string; readonly change: (name: string) => void }) {
  const { loaded } = useApi('/api/reviews/rubrics', {});
  const names = loaded.state === 'ready' ? loaded.data : [];
  return (
    <SelectField label="Rubric" value={value} of={[['', 'None'], ...names.map((name) => [name, toTitle(name)] as const)]} change={change} />
  );
}

export function Rubric({ name }: { readonly name: string }) {
  const { loaded, reload } = useApi('/api/reviews/rubrics/:name', { param: { name } });
  return (
    <aside className="rubric" aria-label="Rubric">
      <When loaded={loaded} what="rubric" retry={reload}>
        {({ about, criteria }) => (
          <>
            <h2>{toTitle(name)}</h2>
            <p className="small">{about}</p>
            <dl className="small">
              {criteria.map((criterion) => (
                <div key={criterion.name}>
                  <dt>{toTitle(criterion.name)}</dt>
                  <dd>
                    {criterion.about}
                    {criterion.questions.length === 0 ? null : (
                      <ul>
                        {criterion.questions.map((question) => (
                          <li key={question}>{question}</li>
                        ))}
                      </ul>
                    )}
                  </dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </When>
    </aside>
  );
}

/** How far each person has come, and how far they agree. */
export function Team({ found: { people, agreement, looked }, by }: { readonly found: ReviewShown; readonly by: string }) {
  if (people.length === 0 || (people.length === 1 && people[0]?.by === by)) return null;
  const percent = (share: number) => `${Math.round(100 * share)}%`;
  return (
    <section aria-label="Team">
      <h2>Progress and agreement</h2>
      <p>
        {agreement === null
          ? 'No two people have labeled the same episode yet.'
          : `${percent(agreement.raw)} of the label pairs on ${count(agreement.episodes, 'episode')} agree${
              agreement.alpha === null
                ? ''
                : `; Krippendorff’s alpha is ${agreement.alpha.toFixed(2)}${
                    agreement.interval === null ? '' : ` (95% CI ${agreement.interval.map((bound) => bound.toFixed(2)).join(' to ')})`
                  }`
            }.`}
      </p>
      <ul className="plain-list">
        {people.map((person) => (
          <li key={person.by} className="row">
            <strong className="text">{person.by}</strong>
            <span className="muted small">{count(person.labeled, 'label')}</span>
          </li>
        ))}
      </ul>
      <p className="muted small">{count(looked, 'episode')} in your queue.</p>
    </section>
  );
}

/** Shares the episodes out to several people. */
export function Shares({
  found: { shares },
  run: id,
  done,
}: {
  readonly found: ReviewShown;
  readonly run: string;
  readonly done: () => void;
}) {
  const [typed, setTyped] = useState(shares?.people.join(', ') ?? '');
  const [overlap, setOverlap] = useState<number | undefined>(Math.round(100 * (shares?.overlap ?? 0.2)));
  const { busy, error, run } = useAction();
  const people = typed
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return (
    <details className="card part">
      <summary>
        <h2>Assign to several people</h2>
      </summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run(async () => {
            await post('/api/reviews/shares', { json: { run: id, people, overlap: (overlap ?? 0) / 100 } });
            done();
          });
        }}
      >
        <p className="muted small">
          Each reviewer gets an equal share of {id === '' ? 'all episodes' : `the episodes of ${id}`}, and all of them label the shared
          part, so that agreement can be measured. Reviewers enter their name under “Reviewer”. Leave the names empty to give every episode
          to every reviewer.
        </p>
        <div className="fields">
          <TextField label="Reviewers" about="separated by commas" value={typed} change={setTyped} />
          <NumberField label="Shared part (%)" value={overlap} from={0} to={100} change={setOverlap} />
        </div>
        <div className="row">
          <button type="submit" disabled={busy}>
            Save
          </button>
          {shares === null ? null : <span className="muted small">Now: {shares.people.join(', ')}.</span>}
        </div>
        <Problem error={error} />
      </form>
    </details>
  );
}
