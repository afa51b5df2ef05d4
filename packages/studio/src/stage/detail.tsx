/** @file One event, looked at closely: what was offered, what went on inside, what it cost, what the prompt was, and how it was scored. */

import type { ActionDetail, ActionShown, EpisodeShown, EventShown, ScoreShown } from '@ludus-agents/servers/internal/studio/api';
import { useApi } from '../client.ts';
import { money } from '../format.ts';
import { isGuest } from '../guest.ts';
import { Grade } from '../parts/grade.tsx';
import { When } from '../parts/states.tsx';
import { link } from '../router.ts';
import { askAt, isLeak, scoresAt } from './fold.ts';
import { InsideShown, Raw } from './inside.tsx';
import { Why } from './why.tsx';

interface DetailProps {
  readonly item: EventShown;
  readonly items: readonly EventShown[];
  readonly episode: EpisodeShown;
  readonly fork: () => void;
}

export function Detail({ item, items, episode, fork }: DetailProps) {
  const { event, index } = item;
  const deep = event.kind === 'action' && (event.thinks || (event.calls ?? []).length > 0);
  const { loaded, reload } = useApi('/api/episodes/:id/events/:index', deep ? { param: { id: episode.id, index: String(index) } } : null);
  return (
    <section className="detail" aria-label={`Event ${index}`}>
      <header className="row">
        <h2>Event {index}</h2>
        <span className="badge">{event.kind}</span>
        {index > 0 && event.kind !== 'end' ? (
          <button type="button" className="primary" data-owner="" onClick={fork}>
            Fork here
          </button>
        ) : null}
        <button type="button" onClick={() => void navigator.clipboard?.writeText(addressOf(episode.id, index))}>
          Copy link
        </button>
      </header>
      {event.kind === 'action' ? <Offered items={items} index={index} action={event} /> : null}
      {event.kind === 'message' ? (
        <p className="muted small">{event.to.length === 0 ? 'Hidden from players.' : `Seen by ${event.to.join(', ')}.`}</p>
      ) : null}
      {'data' in event && event.data !== undefined ? <Raw label="Data" value={event.data} /> : null}
      {event.kind === 'start' && event.task !== null ? <Raw label="Task" value={event.task} open /> : null}
      {deep ? (
        <When loaded={loaded} what="the details" retry={reload}>
          {(detail) => (
            <>
              {detail.inside === null ? null : <InsideShown inside={detail.inside} />}
              {detail.calls.map((call, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: calls are numbered.
                <Call key={i} call={call} number={i + 1} trace={link('trace', episode.id, index)} />
              ))}
            </>
          )}
        </When>
      ) : null}
      {event.kind === 'action' && !episode.live && !isGuest ? <Why key={index} episode={episode.id} at={index} /> : null}
      <Scores scores={scoresAt(episode.scores, index)} index={index} />
    </section>
  );
}

function addressOf(episode: string, index: number): string {
  return `${location.origin}/${link('e', episode, index)}`;
}

function Offered({
  items,
  index,
  action: { seat, action, edited },
}: {
  readonly items: readonly EventShown[];
  readonly index: number;
  readonly action: ActionShown;
}) {
  const ask = askAt(items, index, seat);
  const choices = ask?.choices ?? [];
  return (
    <>
      <p>
        {edited === true ? (
          <>
            Written by you instead of <strong>{seat}</strong> <span className="badge warn">edited by you</span>
          </>
        ) : (
          <>
            <strong>{seat}</strong> answered
          </>
        )}
      </p>
      <pre className="answer">{action.text}</pre>
      {choices.length === 0 ? null : (
        <p className="small muted">
          Offered: {choices.slice(0, 40).join(' ')}
          {choices.length > 40 ? ` and ${choices.length - 40} more` : ''}
        </p>
      )}
    </>
  );
}

/** A model in a file by the file's name: the folders before it say nothing about it. */
function fileNameOf(model: string): string {
  return model.replace(/^gguf:.*\//, 'gguf:');
}

function Call({ call, number, trace }: { readonly call: ActionDetail['calls'][number]; readonly number: number; readonly trace: string }) {
  const { model, usage, cost, finish, milliseconds, text, prompt, stableCharacters } = call;
  const whole = prompt.messages.map(({ role, content }) => `${role}: ${content}`).join('\n\n');
  return (
    <details>
      <summary>
        Call {number}: <span title={model}>{fileNameOf(model)}</span> · {usage.promptTokens} + {usage.completionTokens} tokens ·{' '}
        {money(cost)}
      </summary>
      <p className="small muted">
        {finish === 'stop' ? 'Complete answer' : `Finish: ${finish}`}
        {milliseconds === undefined ? '' : ` · ${milliseconds} ms`}
        {usage.cachedTokens === undefined ? '' : ` · ${usage.cachedTokens} cached tokens`} ·{' '}
        <a href={trace}>{isGuest ? 'Open trace to compare prompts' : 'Open trace to compare prompts or rerun'}</a>
      </p>
      <pre className="prompt">
        <span className="stable" title="Unchanged since the previous call">
          {whole.slice(0, stableCharacters)}
        </span>
        {whole.slice(stableCharacters)}
      </pre>
      <p className="small muted">Answer</p>
      <pre className="answer">{text}</pre>
    </details>
  );
}

function Scores({ scores, index }: { readonly scores: readonly ScoreShown[]; readonly index: number }) {
  if (scores.length === 0) return null;
  return (
    <>
      <h3>Scores that cite this event</h3>
      <ul className="plain-list">
        {scores.map((score) => (
          <li key={`${score.name} ${score.seat ?? ''}`}>
            <span className={`badge ${isLeak(score) ? 'bad' : ''}`}>{score.name}</span>{' '}
            {score.grade === undefined ? null : <Grade grade={score.grade} />} {score.seat} {score.value ?? score.status}
            {score.evidence
              .filter((quote) => quote.event === index)
              .map((quote) => (
                <p key={quote.quote} className="small">
                  <mark>{quote.quote}</mark> {quote.note}
                </p>
              ))}
          </li>
        ))}
      </ul>
    </>
  );
}
