/** @file Trainings on one axis: overlaid, with bands by seed, smoothed, on logarithms, beside lines to hold them against; and what their settings differ in. */

import type { ComparedTraining, TrainingComparison, TrainingLine } from '@ludus-agents/servers/internal/studio/api';
import { useMemo } from 'react';
import { useApi } from '../client.ts';
import { lookOf } from '../colours.ts';
import type { PageProps } from '../pages.ts';
import { type Level, Plot } from '../parts/plot.tsx';
import { Empty, When } from '../parts/states.tsx';
import { settle, withQuery } from '../router.ts';
import { useTitle } from '../title.ts';
import { boundsOf, type Metric, together, usualSmoothing } from '../training/curves.ts';
import { Sweep } from '../training/sweep.tsx';
import '../house.css';

export function TrainingsPage({ query }: PageProps) {
  useTitle('Compare training runs');
  const runs = query.get('runs') ?? '[]';
  const { loaded, reload } = useApi('/api/training/compare', runs === '[]' ? null : { query: { runs } }, 5000);
  const { loaded: all } = useApi('/api/training', {});
  return (
    <div className="page house">
      <header>
        <h1>Compare training runs</h1>
        <a className="button" href="#/training">
          Choose others
        </a>
      </header>
      {runs === '[]' ? (
        <Empty title="Choose two or more runs">
          <p>
            Select them in the <a href="#/training">list of training runs</a>.
          </p>
        </Empty>
      ) : (
        <When loaded={loaded} what="curves" retry={reload}>
          {(compared) => <Compared compared={compared} query={query} lines={all.state === 'ready' ? all.data.runs : []} />}
        </When>
      )}
    </div>
  );
}

const metrics: readonly (readonly [Metric, string])[] = [
  ['exploitability', 'Exploitability'],
  ['legal', 'Probability of legal moves'],
  ['returned', 'Return'],
  ['won', 'Win rate'],
  ['entropy', 'Entropy'],
  ['kl', 'KL from the reference'],
  ['invalid', 'Invalid moves (share)'],
  ['tokensPerSecond', 'Tokens per second'],
];

interface ComparedProps {
  readonly compared: TrainingComparison;
  readonly query: URLSearchParams;
  readonly lines: readonly TrainingLine[];
}

function Compared({ compared: { runs, random }, query, lines }: ComparedProps) {
  const called = useMemo(
    () => new Map(lines.map(({ id, marks }) => [id, marks.name === undefined || marks.name === '' ? id : marks.name])),
    [lines],
  );
  const set = (part: Readonly<Record<string, string | undefined>>) =>
    settle(withQuery('#/trainings', { ...Object.fromEntries(query), ...part }));
  const grouped = query.get('by') === 'recipe';
  const smooth = Number(query.get('smooth') ?? usualSmoothing);
  const [logX, logY] = [query.get('logx') === '1', query.get('logy') === '1'];
  const nameOf = (run: ComparedTraining) => (grouped ? run.recipe : (called.get(run.id) ?? run.id));
  return (
    <>
      <div className="fields">
        <label className="field">
          <span>Group by</span>
          <select
            value={grouped ? 'recipe' : 'run'}
            onChange={(event) => set({ by: event.target.value === 'recipe' ? 'recipe' : undefined })}
          >
            <option value="run">Run</option>
            <option value="recipe">Recipe (seeds as a band)</option>
          </select>
        </label>
        <label className="field">
          <span>Smoothing {smooth.toFixed(2)}</span>
          <input
            type="range"
            min="0"
            max="0.99"
            step="0.01"
            value={smooth}
            onChange={(event) => set({ smooth: Number(event.target.value) === usualSmoothing ? undefined : event.target.value })}
          />
        </label>
        <label className="row">
          <input type="checkbox" checked={logX} onChange={(event) => set({ logx: event.target.checked ? '1' : undefined })} /> Logarithmic
          x-axis
        </label>
        <label className="row">
          <input type="checkbox" checked={logY} onChange={(event) => set({ logy: event.target.checked ? '1' : undefined })} /> Logarithmic
          y-axis
        </label>
      </div>
      <p className="muted small">
        {runs.every(({ metrics }) => metrics.length === 0)
          ? 'No metrics yet. Curves appear after the first update.'
          : 'Hover to read values. Drag to zoom, double-click to reset.'}
      </p>
      <section aria-label="Curves" className="plots">
        {metrics.map(([metric, label]) => (
          <One key={metric} {...{ runs, random, metric, label, grouped, smooth, logX, logY, nameOf }} />
        ))}
      </section>
      <Sweep runs={runs} nameOf={(run) => called.get(run.id) ?? run.id} />
    </>
  );
}

interface OneProps extends Pick<TrainingComparison, 'runs' | 'random'> {
  readonly metric: Metric;
  readonly label: string;
  readonly grouped: boolean;
  readonly smooth: number;
  readonly logX: boolean;
  readonly logY: boolean;
  readonly nameOf: (run: ComparedTraining) => string;
}

function One({ runs, random, metric, label, grouped, smooth, logX, logY, nameOf }: OneProps) {
  const { x, curves } = together(runs, {
    metric,
    weight: smooth,
    grouped,
    named: (run) => [nameOf(run), lookOf(grouped ? run.recipe : run.id)],
  });
  const levels = useMemo(
    (): readonly Level[] =>
      metric !== 'exploitability' || random === null
        ? []
        : [
            { name: 'random play', value: random },
            { name: 'equilibrium', value: 0 },
          ],
    [metric, random],
  );
  if (x.length < 2 || curves.every(({ values }) => values.every((value) => value === null || value === 0))) return null;
  return <Plot label={label} xName="games" height={240} bounds={boundsOf(metric)} {...{ x, curves, levels, logX, logY }} />;
}
