/** @file Which agent passed which task: a cell for each pair, failures first; a click on a failure opens the turn at which it began. */

import type { MatrixCell, MatrixShown, MatrixTask } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { count, formatGrouped, toTitle } from '../format.ts';
import { link } from '../router.ts';
import { Scroll } from './scroll.tsx';

const shownFirst = 12;

const marks: Readonly<Record<MatrixCell['state'], readonly [sign: string, name: string]>> = {
  pass: ['✓', 'passed'],
  fail: ['✗', 'failed'],
  mixed: ['◐', 'mixed'],
  missing: ['–', 'no result'],
};

export function Matrix({ matrix }: { readonly matrix: MatrixShown }) {
  const [isWhole, setWhole] = useState(false);
  const [isFailing, setFailing] = useState(false);
  const { agents, baselines, more } = matrix;
  // Baselines are meant to fail: only those who try are counted.
  const hasFailure = ({ cells }: MatrixTask) =>
    cells.some((cell, i) => !baselines.includes(agents[i]!) && (cell?.state === 'fail' || cell?.state === 'mixed'));
  const tasks = isFailing ? matrix.tasks.filter(hasFailure) : matrix.tasks;
  const visibleTasks = isWhole ? tasks : tasks.slice(0, shownFirst);
  const scenes = new Set(matrix.tasks.map(({ scene }) => scene));
  const failing = matrix.tasks.filter(hasFailure).length;
  return (
    <section aria-label="Results by task">
      <div className="row">
        <h2 className="grow">Results by task</h2>
        <label className="row small">
          <input type="checkbox" checked={isFailing} onChange={(event) => setFailing(event.target.checked)} /> Failures only
        </label>
      </div>
      <p className="muted small">
        {failing === 0
          ? `No failures in ${count(matrix.tasks.length, 'task')}.`
          : `${formatGrouped(failing)} of ${count(matrix.tasks.length, 'task')} with a failure. Select a cell to open the turn where it failed.`}
      </p>
      <Scroll label="Results by task and agent">
        <table className="matrix">
          <thead>
            <tr>
              <th scope="col">Task</th>
              {agents.map((agent, i) => (
                <th key={agent} scope="col" className="text">
                  {agent}
                  <div className="muted small">
                    {passRate(matrix.tasks, i)}
                    {baselines.includes(agent) ? ', baseline' : ''}
                  </div>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {visibleTasks.map(({ name, scene, task, cells }) => (
              <tr key={task}>
                <th scope="row" title={task}>
                  {scenes.size > 1 ? <span className="muted small">{toTitle(scene)} · </span> : null}
                  {name}
                </th>
                {cells.map((cell, i) => (
                  <Cell key={agents[i]} cell={cell} of={`${agents[i]} on ${name}`} />
                ))}
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
      {more > 0 ? <p className="muted small">{count(more, 'more task')} with fewer failures not shown.</p> : null}
    </section>
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
