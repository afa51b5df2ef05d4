/** @file Which agent passed which task of a run: one cell for each pair, failures first, with the turn at which each failure began. */

import type { Embedder } from '@ludus-agents/agents/internal/encoders/encoder';
import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { clusterTexts } from '@ludus-agents/desk/internal/clusters';
import { attribute } from '@ludus-agents/evaluation/internal/scoring/attribution';
import { currentScores } from '@ludus-agents/evaluation/internal/scoring/evaluation/current-scores';
import type { ScoreRow } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import type { Episode, EpisodeEvent, Score, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import type { FailureCluster, MatrixCell, MatrixShown, MatrixTask } from './api.ts';
import { nameTasks } from './task-names.ts';

/** The number of tasks in a matrix, and of failed episodes whose logs are read for the turn. */
const [mostTasks, mostTurns] = [300, 300];

/** Null where passing is not defined for any episode. `floor` names the trivial baselines. */
export async function failureMatrix(rows: readonly ScoreRow[], store: Store, floor: readonly string[]): Promise<MatrixShown | null> {
  const tested = rows.filter(({ agent }) => !agent.startsWith('house:'));
  if (!tested.some(({ passed }) => passed !== null)) return null;
  const agents = [...new Set(tested.map(({ agent }) => agent))].sort((a, b) => Number(floor.includes(a)) - Number(floor.includes(b)));
  const tasks = [...Map.groupBy(tested, ({ scene, task }) => `${scene}\n${task}`)].map(([task, scoreRows]) => ({
    // Scenes may play the same task against different opponents.
    ...{ task, scene: scoreRows[0]!.scene },
    failed: scoreRows.filter(({ passed, agent }) => passed === false && !floor.includes(agent)).length,
    own: scoreRows,
  }));
  const visibleTasks = tasks.toSorted((a, b) => b.failed - a.failed).slice(0, mostTasks);
  const names = await nameTasks(visibleTasks, store);
  let budget = mostTurns;
  const table: MatrixTask[] = [];
  for (const { own, scene, task } of visibleTasks) {
    const cells: (MatrixCell | null)[] = [];
    for (const agent of agents) {
      const of = own.filter((row) => row.agent === agent);
      const failing = of.find(({ passed }) => passed === false);
      const event = failing === undefined || budget-- <= 0 ? null : await failingTurn(store, failing);
      cells.push(of.length === 0 ? null : cellOf(of, failing, event));
    }
    table.push({ name: names.get(task) ?? '', scene, task: own[0]!.task.slice(0, 400), cells, sides: sidesIn(own, agents) });
  }
  const failing = tested.filter(({ passed, agent }) => passed === false && !floor.includes(agent));
  const encoder = await installedEncoder();
  const clusters = await clustersOf(failing.slice(0, mostTurns), store, encoder);
  const hasTopics = clusters.some(({ topic }) => topic !== undefined);
  const baselines = agents.filter((agent) => floor.includes(agent));
  return {
    agents,
    baselines,
    tasks: table,
    clusters,
    topicsBy: hasTopics ? (encoder?.name ?? 'shared words') : null,
    more: tasks.length - visibleTasks.length,
  };
}

function cellOf(rows: readonly ScoreRow[], failing: ScoreRow | undefined, event: number | null): MatrixCell {
  const passed = rows.filter((row) => row.passed === true).length;
  const failed = rows.filter((row) => row.passed === false).length;
  const state = failed > 0 ? (passed > 0 ? 'mixed' : 'fail') : passed > 0 ? 'pass' : 'missing';
  return { state, passed, of: rows.length, episode: (failing ?? rows[0]!).episode, event };
}

/** The first failure of the tested agents, and an agent that passed with the same seed. */
function sidesIn(rows: readonly ScoreRow[], agents: readonly string[]): MatrixTask['sides'] {
  const inOrder = agents.flatMap((agent) => rows.filter((row) => row.agent === agent));
  for (const failed of inOrder) {
    if (failed.passed !== false) continue;
    const passed = inOrder.find((row) => row.passed === true && row.seed === failed.seed && row.agent !== failed.agent);
    if (passed !== undefined) return [failed.episode, passed.episode];
  }
  return null;
}

/** The fewest failures of one cause that are grouped by topic. */
const fewestFailures = 4;
/** Characters of a conversation that are compared. */
const longestTopic = 1000;

interface Failure {
  readonly row: ScoreRow;
  readonly cause: string;
  readonly topic?: string;
}

/** Failures grouped by failed scores, or by the end of the episode, and many of one cause by what the episodes are about. */
async function clustersOf(rows: readonly ScoreRow[], store: Store, encoder: Embedder | null): Promise<readonly FailureCluster[]> {
  const causes = await Promise.all(
    rows.map(async (row): Promise<Failure> => ({ row, cause: causeOf(row, currentScores(await store.scores(row.episode))) })),
  );
  const byCause = [...Map.groupBy(causes, ({ cause }) => cause).values()];
  const failures = (await Promise.all(byCause.map((group) => withTopics(group, store, encoder)))).flat();
  const clusters = [...Map.groupBy(failures, ({ cause, topic = '' }) => `${cause}\n${topic}`).values()].map(async (of) => {
    const { row, cause, topic } = of[0]!;
    return {
      ...{ cause, ...(topic !== undefined && { topic }), failures: of.length, tasks: new Set(of.map(({ row }) => row.task)).size },
      agents: [...new Set(of.map(({ row }) => row.agent))],
      ...{ episode: row.episode, event: await failingTurn(store, row) },
    };
  });
  return (await Promise.all(clusters)).sort((a, b) => b.failures - a.failures);
}

/** Failures of one cause with their topics, if there are several; a topic has at least two failures. */
async function withTopics(group: readonly Failure[], store: Store, encoder: Embedder | null): Promise<readonly Failure[]> {
  if (group.length < fewestFailures) return group;
  const texts = await Promise.all(group.map(({ row }) => messagesTo(row, store)));
  const shared = (await clusterTexts(texts, encoder)).filter(({ members }) => members.length > 1);
  if (shared.length < 2) return group;
  return group.map((failure, i) => {
    const topic = shared.find(({ members }) => members.includes(i))?.name;
    return topic === undefined ? failure : { ...failure, topic };
  });
}

/** The messages of other speakers to the seat in an episode; if there are none, its first message. */
async function messagesTo({ episode, seat }: ScoreRow, store: Store): Promise<string> {
  const messages = (await store.events(episode)).filter((event) => event.kind === 'message' && event.to.includes(seat));
  const spoken = messages.filter((event) => event.kind === 'message' && event.from !== undefined && event.from !== seat);
  const compared = spoken.length > 0 ? spoken : messages.slice(0, 1);
  return compared
    .map((event) => (event.kind === 'message' ? event.text : ''))
    .join('\n')
    .slice(0, longestTopic);
}

function causeOf({ seat, end, scene, reason }: ScoreRow, scores: readonly Score[]): string {
  const ofSeat = scores.filter((score) => (score.seat ?? seat) === seat && score.value !== null);
  const faults = ofSeat.filter(({ name, value }) => name.startsWith('fault-') && (value ?? 0) > 0);
  if (faults.length > 0) return [...new Set(faults.map(({ name }) => name.slice('fault-'.length)))].sort().join(', ');
  if (end !== 'over') return reason ?? `ended as ${end}`;
  const failed = ofSeat.filter(
    ({ name, value }) => name !== 'return' && name !== 'result' && !name.startsWith('fault-') && (value ?? 1) <= 0,
  );
  return failed.length === 0
    ? `wrong result in “${scene}”`
    : `${[...new Set(failed.map(({ name }) => name))].sort().join(', ')} score failed in “${scene}”`;
}

/**
 * The turn of an episode's failure: the first wrong step that the failure depends on, or the action that a failed score
 * quotes as evidence, or the seat's last action.
 */
export async function failingTurn(store: Store, { episode: id, seat }: Pick<ScoreRow, 'episode' | 'seat'>): Promise<number | null> {
  const [events, scores] = await Promise.all([store.events(id), store.scores(id)]);
  const cause = attribute({ events } as unknown as Episode)?.cause.event;
  if (cause !== undefined) return cause;
  const failed = currentScores(scores).filter((score) => (score.seat ?? seat) === seat && score.value !== null && score.value <= 0);
  const evidence = failed.flatMap((score) => eventsOf(score)).map((event) => actionBefore(events, event, seat));
  return evidence.find((event) => event !== null) ?? actionBefore(events, events.length - 1, seat);
}

function eventsOf({ evidence }: Score): readonly number[] {
  return evidence.map(({ event }) => event);
}

/** The event if it is an action of the seat, otherwise the last such action before it: a note for scorers is about earlier events. */
function actionBefore(events: readonly EpisodeEvent[], from: number, seat: Seat): number | null {
  for (let at = Math.min(from, events.length - 1); at >= 0; at--) {
    const event = events[at]!;
    if (event.kind === 'action' && event.seat === seat) return at;
  }
  return null;
}
