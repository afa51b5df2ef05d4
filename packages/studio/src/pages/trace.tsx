/** @file The trace of an episode: every model call in order, with its messages, tool calls, tokens, latency and cost; and the same call with another prompt. */

import type { EpisodeShown, EventShown } from '@ludus-agents/servers/internal/studio/api';
import { useMemo } from 'react';
import { useApi } from '../client.ts';
import { count, episodeTitle, formatGrouped, money, runTitle } from '../format.ts';
import type { PageProps } from '../pages.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { Empty, Loading, When } from '../parts/states.tsx';
import { link, settle } from '../router.ts';
import { useEpisode } from '../stage/episode.ts';
import { useTitle } from '../title.ts';
import { CallDetail } from '../trace/call.tsx';
import { ToolUses } from '../trace/messages.tsx';
import '../house.css';
import '../trace/trace.css';

export function TracePage({ params }: PageProps) {
  const id = params['id']!;
  const { episode, items } = useEpisode(id, null);
  const at = /^\d{1,9}$/.test(params['at'] ?? '') ? Number(params['at']) : null;
  return (
    <When loaded={episode.loaded} what="trace" retry={episode.reload}>
      {(episode) => <Trace episode={episode} items={items} at={at} />}
    </When>
  );
}

interface Span {
  readonly event: number;
  readonly seat: string;
  readonly text: string;
  readonly model: string;
  readonly calls: number;
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly milliseconds: number | null;
  readonly cost: number | null;
}

/** One row for each action that took a model call. */
function spansIn(items: readonly EventShown[]): readonly Span[] {
  return items.flatMap(({ index, event }): readonly Span[] => {
    const calls = event.kind === 'action' ? (event.calls ?? []) : [];
    if (event.kind !== 'action' || calls.length === 0) return [];
    const sum = (of: (call: (typeof calls)[number]) => number) => calls.reduce((total, call) => total + of(call), 0);
    return [
      {
        event: index,
        seat: event.seat,
        text: event.action.text,
        model: calls[0]!.model,
        calls: calls.length,
        prompt: sum(({ usage }) => usage.promptTokens),
        completion: sum(({ usage }) => usage.completionTokens),
        cached: sum(({ usage }) => usage.cachedTokens ?? 0),
        milliseconds: calls.some(({ milliseconds }) => milliseconds !== undefined) ? sum(({ milliseconds = 0 }) => milliseconds) : null,
        cost: calls.some(({ cost }) => cost === null) ? null : sum(({ cost }) => cost ?? 0),
      },
    ];
  });
}

function Trace({
  episode,
  items,
  at,
}: {
  readonly episode: EpisodeShown;
  readonly items: readonly EventShown[];
  readonly at: number | null;
}) {
  useTitle(`Trace: ${episodeTitle(episode)}`);
  const spans = useMemo(() => spansIn(items), [items]);
  const selectedSpan = spans.find(({ event }) => event === at) ?? spans[0];
  return (
    <div className="page house trace">
      <header>
        <div className="grow">
          <Crumbs
            of={[
              ['Runs', '#/runs'],
              ...(episode.run === null || episode.run === 'studio'
                ? []
                : [[runTitle({ id: episode.run, environments: [episode.environment] }), link('run', episode.run)] as const]),
              [episodeTitle(episode), link('e', episode.id)],
            ]}
          />
          <h1>Trace</h1>
        </div>
        <Totals spans={spans} />
        <a className="button" href={selectedSpan === undefined ? link('e', episode.id) : link('e', episode.id, selectedSpan.event)}>
          Open episode
        </a>
      </header>
      {items.length === 0 ? (
        <Loading what="calls" />
      ) : selectedSpan === undefined ? (
        <Empty title="No model calls">
          <p>No agent in this episode called a model. Rule-based agents have no prompts to show.</p>
        </Empty>
      ) : (
        <div className="trace-grid">
          <SpanTable spans={spans} chosen={selectedSpan.event} choose={(event) => settle(link('trace', episode.id, event))} />
          <Chosen key={selectedSpan.event} episode={episode} span={selectedSpan} />
        </div>
      )}
    </div>
  );
}

function Totals({ spans }: { readonly spans: readonly Span[] }) {
  if (spans.length === 0) return null;
  const sum = (of: (span: Span) => number) => spans.reduce((total, span) => total + of(span), 0);
  return (
    <p className="muted small">
      {count(
        sum(({ calls }) => calls),
        'call',
      )}{' '}
      ·{' '}
      {sum(({ prompt, completion }) => prompt + completion) === 0
        ? 'no tokens reported'
        : `${formatGrouped(sum(({ prompt }) => prompt))} prompt + ${formatGrouped(sum(({ completion }) => completion))} completion tokens`}{' '}
      · {(sum(({ milliseconds }) => milliseconds ?? 0) / 1000).toFixed(1)} s ·{' '}
      {money(spans.some(({ cost }) => cost === null) ? null : sum(({ cost }) => cost ?? 0))}
    </p>
  );
}

interface SpanTableProps {
  readonly spans: readonly Span[];
  readonly chosen: number;
  readonly choose: (event: number) => void;
}

function SpanTable({ spans, chosen, choose }: SpanTableProps) {
  const slowest = Math.max(1, ...spans.map(({ milliseconds }) => milliseconds ?? 0));
  return (
    <section className="card spans" aria-label="Model calls">
      <Scroll label="Model calls by turn">
        <table>
          <thead>
            <tr>
              <th scope="col">Turn</th>
              <th scope="col" className="number">
                Tokens
              </th>
              <th scope="col" className="number">
                Latency
              </th>
              <th scope="col" className="number">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {spans.map(({ event, seat, text, calls, prompt, completion, milliseconds, cost }) => (
              <tr key={event} aria-current={event === chosen ? 'true' : undefined}>
                <th scope="row">
                  <button type="button" className="plain" onClick={() => choose(event)}>
                    <strong>{seat}</strong> <span className="muted small unbroken">event {event}</span>
                    {calls > 1 ? <span className="badge">{calls} calls</span> : null}
                    <span className="muted small clip">{text}</span>
                  </button>
                </th>
                <td className="number small">
                  {prompt + completion === 0 ? '–' : `${formatGrouped(prompt)} + ${formatGrouped(completion)}`}
                </td>
                <td className="number small">
                  {milliseconds === null ? '–' : `${formatGrouped(Math.round(milliseconds))} ms`}
                  <span className="meter" aria-hidden="true" style={{ width: `${(100 * (milliseconds ?? 0)) / slowest}%` }} />
                </td>
                <td className="number small">{cost === null ? 'unknown' : money(cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function Chosen({ episode, span }: { readonly episode: EpisodeShown; readonly span: Span }) {
  const { loaded, reload } = useApi('/api/episodes/:id/events/:index', { param: { id: episode.id, index: String(span.event) } });
  return (
    <section className="card call" aria-label={`Calls of event ${span.event}`}>
      <When loaded={loaded} what="messages" retry={reload}>
        {({ calls, inside }) => (
          <>
            {calls.map((call, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: calls are numbered.
              <CallDetail key={i} call={call} number={i} of={calls.length} episode={episode.id} event={span.event} />
            ))}
            <ToolUses uses={inside?.uses ?? []} />
          </>
        )}
      </When>
    </section>
  );
}
