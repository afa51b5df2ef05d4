/** @file The launcher: whatever takes many episodes from one form, with what it takes before it begins. */

import type { LaunchChoices, LaunchLook } from '@ludus-agents/servers/internal/studio/api';
import { useEffect, useState } from 'react';
import { post, useAction, useApi } from '../client.ts';
import { count, formatGrouped } from '../format.ts';
import { useKept } from '../kept.ts';
import { Fields, kindWords, type LaunchForm, requestOf, startOf } from '../launch/fields.tsx';
import type { PageProps } from '../pages.ts';
import { SelectField } from '../parts/form.tsx';
import { Problem, When } from '../parts/states.tsx';
import { go } from '../router.ts';
import '../house.css';

export function LaunchPage({ query }: PageProps) {
  const { loaded, reload } = useApi('/api/launch', {});
  return (
    <div className="page house">
      <header>
        <h1>New run</h1>
      </header>
      <When loaded={loaded} what="what can be launched" retry={reload}>
        {(of) => <Form key={query.toString()} of={of} query={query} />}
      </When>
    </div>
  );
}

type Looked = { readonly of: string; readonly look: LaunchLook } | { readonly of: string; readonly error: string };

function Form({ of, query }: { readonly of: LaunchChoices; readonly query: URLSearchParams }) {
  const [draft, setForm] = useKept<LaunchForm>('launch', startOf('run', of, null));
  const [isLinked, setLinked] = useState(true);
  // Values from a link apply until the user changes them.
  const linked = linkedForm(query, of);
  const form = isLinked && linked !== null ? linked : draft;
  const change = (next: LaunchForm) => {
    setLinked(false);
    setForm(next);
  };
  const { busy, error, run } = useAction();
  const written = JSON.stringify(form);
  const looked = useLook(form, written);
  const look = looked?.of === written && 'look' in looked ? looked.look : null;
  const wrong = looked?.of === written && 'error' in looked ? looked.error : null;
  const begin = () => run(async () => go((await post('/api/launch', { json: requestOf(form) })).page));
  return (
    <form
      className="card launch"
      onSubmit={(event) => {
        event.preventDefault();
        if (look !== null) begin();
      }}
    >
      <SelectField label="Type" value={form.what} of={kindWords} change={(what) => change(startOf(what, of, form))} />
      <Fields
        key={form.what}
        form={form}
        of={of}
        set={(part) =>
          change(
            Object.fromEntries(Object.entries({ ...form, ...part }).filter(([, value]) => value !== undefined)) as unknown as LaunchForm,
          )
        }
      />
      <section aria-label="Estimate" className="takes">
        {look === null ? <p className="muted">{wrong === null ? 'Estimating …' : ''}</p> : <Takes look={look} />}
        <Problem error={wrong ?? error} />
      </section>
      <div className="row">
        <button type="submit" className="primary" disabled={busy || look === null}>
          {busy ? 'Starting …' : 'Start'}
        </button>
        {look?.plan == null ? null : (
          <button type="button" onClick={() => look.plan != null && save(look.plan)}>
            Save as plan.json
          </button>
        )}
        <Copy text={look?.command ?? null} />
      </div>
      {look === null ? null : <pre className="command text">{look.command}</pre>}
    </form>
  );
}

/** The form that an address describes: "#/launch?what=eval&suite=games-core". */
function linkedForm(query: URLSearchParams, of: LaunchChoices): LaunchForm | null {
  const what = query.get('what');
  if (!kindWords.some(([kind]) => kind === what)) return null;
  const { what: kind, ...form } = startOf(what as LaunchForm['what'], of, null);
  const wanted = ['suite', 'recipe', 'scene', 'attack', 'persona'].flatMap((name) =>
    query.get(name) === null ? [] : [[name, query.get(name)]],
  );
  const agents = query.getAll('agent');
  return { ...form, what: kind, ...Object.fromEntries(wanted), ...(agents.length === 0 ? {} : { agents }) } as LaunchForm;
}

/** The estimate of a form, requested when the user stops typing. */
function useLook(form: LaunchForm, written: string): Looked | null {
  const [looked, setLooked] = useState<Looked | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form is what is written.
  useEffect(() => {
    let left = false;
    const ask = async () => {
      try {
        const look = await post('/api/launch/look', { json: requestOf(form) });
        if (!left) setLooked({ of: written, look });
      } catch (thrown) {
        if (!left) setLooked({ of: written, error: (thrown as Error).message });
      }
    };
    const timer = setTimeout(ask, 400);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [written]);
  return looked;
}

function Takes({ look: { episodes, estimate, seconds, basis, bots } }: { readonly look: LaunchLook }) {
  const about = (value: number) => formatGrouped(Math.round(value));
  return (
    <dl className="facts">
      {episodes === null ? null : (
        <div>
          <dt>Episodes</dt>
          <dd>{formatGrouped(episodes)}</dd>
        </div>
      )}
      <div>
        <dt>Model calls</dt>
        <dd>
          {estimate === null
            ? bots
              ? 'Same as the agent'
              : 'No paid calls'
            : `about ${about(estimate.calls.likely)}, ${about(estimate.calls.low)} to ${about(estimate.calls.high)}`}
        </dd>
      </div>
      {estimate === null ? null : (
        <div>
          <dt>Tokens</dt>
          <dd>
            about {about(estimate.promptTokens.likely)} read, {about(estimate.completionTokens.likely)} written
          </dd>
        </div>
      )}
      <div>
        <dt>Cost</dt>
        <dd>{costWords(estimate, bots)}</dd>
      </div>
      <div>
        <dt>Time</dt>
        <dd>
          {seconds === null ? 'Unknown' : `about ${spanWords(seconds)}`} <span className="muted small">{basis}</span>
        </dd>
      </div>
    </dl>
  );
}

function costWords(estimate: LaunchLook['estimate'], bots: boolean): string {
  if (bots) return 'Unknown: depends on the agent';
  if (estimate === null) return 'Free';
  const { money: span, unpriced } = estimate;
  const isPriced = span !== null && span.high > 0;
  // Scripted opponents cost nothing, which says nothing about the models whose price is unknown.
  if (!isPriced) return unpriced.length === 0 ? 'Free' : `price unknown: ${unpriced.join(', ')}`;
  const dollars = (value: number) => `$${value < 0.1 && value > 0 ? value.toPrecision(1) : value.toFixed(2)}`;
  const rest = unpriced.length === 0 ? '' : `; price unknown: ${unpriced.join(', ')}`;
  return `about ${dollars(span.likely)}, at most ${dollars(span.high)}${rest}`;
}

function spanWords(seconds: number): string {
  if (seconds < 1) return 'a second or less';
  if (seconds < 90) return count(Math.round(seconds), 'second');
  return seconds < 5400 ? count(Math.round(seconds / 60), 'minute') : `${(seconds / 3600).toFixed(1)} hours`;
}

function save(plan: NonNullable<LaunchLook['plan']>): void {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(plan, null, 2)}\n`], { type: 'application/json' }));
  const anchor = Object.assign(document.createElement('a'), { href: url, download: 'plan.json' });
  anchor.click();
  URL.revokeObjectURL(url);
}

function Copy({ text }: { readonly text: string | null }) {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = async (command: string) => {
    await navigator.clipboard.writeText(command);
    setCopied(command);
  };
  return (
    <>
      <button type="button" disabled={text === null} onClick={() => text !== null && void copy(text).catch(() => setCopied(null))}>
        Copy command
      </button>
      <span role="status" className="muted small">
        {copied !== null && copied === text ? 'Copied.' : ''}
      </span>
    </>
  );
}
