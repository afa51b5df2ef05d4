/** @file Which agent passed which task: a cell for each pair, failures first; a click on a failure opens the turn at which it began. */

import type { MatrixCell, MatrixShown, MatrixTask } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { count, formatGrouped, toTitle } from '../format.ts';
import { isGuest } from '../guest.ts';
import { link } from '../router.ts';
import { AgentName, useAgentTitles } from './agent-name.tsx';
import { Scroll } from './scroll.tsx';

const [shownFirst, mostClusters] = [12, 12];

const marks: Readonly<Record<MatrixCell['state'], readonly [sign: string, name: string]>> = {
  pass: ['✓', 'passed'],
  fail: ['✗', 'failed'],
  mixed: ['◐', 'mixed'],
  missing: ['–', 'no result'],
};

export function Matrix({ matrix, run }: { readonly matrix: MatrixShown; readonly run: string }) {
  const title = useAgentTitles(run);
  const [isWhole, setWhole] = useState(false);
  const [only, setOnly] = useState<'' | 'failing' | 'flaky'>('');
  const { agents, baselines, more } = matrix;
  // Baselines are meant to fail: only those who try are counted.
  const hasFailure = ({ cells }: MatrixTask) =>
    cells.some((cell, i) => !baselines.includes(agents[i] ?? '') && (cell?.state === 'fail' || cell?.state === 'mixed'));
  const isFlaky = ({ cells }: MatrixTask) => cells.some((cell, i) => !baselines.includes(agents[i] ?? '') && cell?.state === 'mixed');
  const tasks = only === '' ? matrix.tasks : matrix.tasks.filter(only === 'failing' ? hasFailure : isFlaky);
  const visibleTasks = isWhole ? tasks : tasks.slice(0, shownFirst);
  const tested = agents.filter((agent) => !baselines.includes(agent));
  const isCompared = !isGuest && matrix.tasks.some(({ sides }) => sides !== null);
  const scenes = new Set(matrix.tasks.map(({ scene }) => scene));
  const [failing, flaky] = [hasFailure, isFlaky].map((fits) => matrix.tasks.filter(fits).length) as [number, number];
  return (
    <section aria-label="Results by task">
      <div className="row">
        <h2 className="grow">Results by task</h2>
        <label className="row small">
          <span>Show</span>
          <select value={only} onChange={(event) => setOnly(event.target.value as typeof only)}>
            <option value="">All tasks ({matrix.tasks.length})</option>
            <option value="failing">Failures ({failing})</option>
            <option value="flaky">Flaky: passed and failed ({flaky})</option>
          </select>
        </label>
      </div>
      <p className="muted small">
        {failing === 0
          ? `${tested.length === 1 ? title(tested[0]!) : 'Every agent'} passed all ${count(matrix.tasks.length, 'task')}${baselines.length > 0 ? ' (baselines not counted)' : ''}.`
          : `${formatGrouped(failing)} of ${count(matrix.tasks.length, 'task')} with a failure. Select a cell to open the turn where it failed.`}
      </p>
      <Scroll label="Results by task and agent">
        <table className="matrix">
          <thead>
            <tr>
              <th scope="col">Task</th>
              {agents.map((agent, i) => (
                <th key={agent} scope="col" className="text">
                  <AgentName name={agent} run={run} />
                  <div className="muted small">
                    {passRate(matrix.tasks, i)}
                    {baselines.includes(agent) ? ', baseline' : ''}
                  </div>
                </th>
              ))}
              {isCompared ? <th scope="col">Compare</th> : null}
            </tr>
          </thead>
          <tbody>
            {visibleTasks.map(({ name, scene, task, cells, sides }) => (
              <tr key={`${scene} ${task}`}>
                <th scope="row" title={task}>
                  {scenes.size > 1 && name !== '' ? <span className="muted small">{toTitle(scene)} · </span> : null}
                  {name === '' ? toTitle(scene) : name}
                </th>
                {cells.map((cell, i) => (
                  <Cell key={agents[i]} cell={cell} of={`${title(agents[i] ?? '')} on ${name === '' ? toTitle(scene) : name}`} />
                ))}
                {isCompared ? (
                  <td>
                    {sides === null ? null : (
                      <a
                        className="small"
                        href={link('branches', ...sides)}
                        aria-label={`Side by side: ${name === '' ? toTitle(scene) : name}`}
                      >
                        Side by side
                      </a>
                    )}
                  </td>
                ) : null}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {tasks.length > shownFirst ? (
        <button type="button" className="plain" onClick={() => setWhole(!isWhole)}>
          {isWhole ? `Show the first ${shownFirst} tasks` : `Show all ${formatGrouped(tasks.length)} tasks`}
        </button>
      ) : null}
      <Clusters clusters={matrix.clusters} topicsBy={matrix.topicsBy} title={title} />
      {more > 0 ? <p className="muted small">{count(more, 'more task')} with fewer failures not shown.</p> : null}
    </section>
  );
}

/** What failures have in common. One cause alone says no more than the table. */
function Clusters({
  clusters,
  topicsBy,
  title,
}: Pick<MatrixShown, 'clusters' | 'topicsBy'> & { readonly title: (text: string) => string }) {
  if (clusters.length < 2) return null;
  return (
    <>
      <h3>Failures by cause</h3>
      <Scroll label="Failures by cause">
        <table>
          <thead>
            <tr>
              <th scope="col">Cause</th>
              <th scope="col" className="number">
                Failures
              </th>
              <th scope="col" className="number">
                Tasks
              </th>
              <th scope="col">Agents</th>
              <th scope="col">Example</th>
            </tr>
          </thead>
          <tbody>
            {clusters.slice(0, mostClusters).map(({ cause, topic, failures, tasks, agents, episode, event }) => (
              <tr key={`${cause}\n${topic ?? ''}`}>
                <th scope="row" className="text">
                  {toTitle(cause)}
                  {topic === undefined ? null : <span className="muted"> about {topic}</span>}
                </th>
                <td className="number">{formatGrouped(failures)}</td>
                <td className="number">{formatGrouped(tasks)}</td>
                <td className="text">{agents.map(title).join(', ')}</td>
                <td>
                  <a
                    href={event === null ? link('e', episode) : link('e', episode, event)}
                    aria-label={`Open a failure of ${toTitle(cause)}${topic === undefined ? '' : ` about ${topic}`}`}
                  >
                    Open the turn
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {topicsBy === null ? null : <p className="muted small">Topics by {topicsBy}.</p>}
    </>
  );
}

function passRate(tasks: readonly MatrixTask[], agent: number): string {
  const cells = tasks.flatMap(({ cells }) => cells[agent] ?? []);
  const [passed, of] = [cells.reduce((sum, cell) => sum + cell.passed, 0), cells.reduce((sum, cell) => sum + cell.of, 0)];
  return of === 0 ? '–' : `${Math.round((100 * passed) / of)}% passed`;
}

function Cell({ cell, of }: { readonly cell: MatrixCell | null; readonly of: string }) {
  if (cell === null) return <td className="muted">not played</td>;
  const [sign, name] = marks[cell.state];
  const { episode, event } = cell;
  return (
    <td className={`cell ${cell.state}`}>
      <a
        href={event === null ? link('e', episode) : link('e', episode, event)}
        aria-label={`${of}: ${name}, ${cell.passed} of ${cell.of} passed`}
      >
        <span aria-hidden="true">{sign}</span> {cell.of === 1 ? name : `${cell.passed} / ${cell.of}`}
      </a>
    </td>
  );
}
