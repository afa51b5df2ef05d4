/** @file A dataset's card: contents, sources, judges, and licenses, for people and programs. */

import { type AgentSpec, escapeMarkdown, hash, type Json, type JsonObject, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Bound } from './bounds.ts';
import { provenanceText } from './format.ts';
import type { EvalSplit, ExportEpisode, Filter } from './plays.ts';
import { callsIn, fieldsOf } from './words.ts';

export interface CardFacts {
  readonly name: string;
  readonly format: string;
  readonly about: string;
  readonly notes: readonly string[];
  readonly at: string;
  readonly version: string;
  readonly filter: Filter;
  readonly split: EvalSplit;
  readonly files: readonly { readonly path: string; readonly rows: number; readonly split: string }[];
  readonly left: Readonly<Record<string, number>>;
}

/** Where imported conversations come from. */
type Source = {
  readonly name: string;
  readonly licence: string;
};

/** The counts of a card, as plain data that can be passed between threads. */
export interface CardCounts {
  episodes: number;
  readonly environments: Map<string, { episodes: number; readonly tasks: Set<string> }>;
  readonly runs: Map<string, number>;
  readonly agents: Map<string, { episodes: number; readonly seats: Set<Seat>; readonly models: Set<string> }>;
  readonly judges: Map<string, Map<string, number>>;
  readonly sources: Map<string, Source & { episodes: number }>;
  readonly tasks: { readonly train: Set<string>; readonly eval: Set<string> };
}

/** Collects the content of a card, episode by episode: names and counts, never texts. */
export class DatasetCard {
  readonly counts: CardCounts = {
    ...{ episodes: 0, environments: new Map(), runs: new Map(), agents: new Map(), judges: new Map(), sources: new Map() },
    tasks: { train: new Set(), eval: new Set() },
  };

  take(play: ExportEpisode): void {
    const { record, start, scores, task, split, events } = play;
    const { environments, runs, agents, sources, tasks } = this.counts;
    this.counts.episodes++;
    tasks[split].add(task.slice(0, 16));
    const environment = environments.get(record.environment) ?? { episodes: 0, tasks: new Set() };
    environments.set(record.environment, environment);
    environment.episodes++;
    environment.tasks.add(task.slice(0, 16));
    if (record.run !== null) grow(runs, record.run, 1);
    for (const seat of play.seats) {
      const name = start.cast[seat] ?? '';
      const agent = agents.get(name) ?? { episodes: 0, seats: new Set(), models: new Set() };
      agents.set(name, agent);
      agent.episodes++;
      agent.seats.add(seat);
      for (const { model } of callsIn(events, seat)) agent.models.add(model);
    }
    for (const score of scores) {
      const judges = this.counts.judges.get(score.name) ?? new Map<string, number>();
      this.counts.judges.set(score.name, judges);
      grow(judges, provenanceText(score), 1);
    }
    const source = sourceOf(start.task);
    if (source === null) return;
    const key = `${source.name} ${source.licence}`;
    sources.set(key, { ...source, episodes: (sources.get(key)?.episodes ?? 0) + 1 });
  }

  /** Adds the counts of further episodes. */
  add(more: CardCounts): void {
    const { environments, runs, agents, judges, sources, tasks } = this.counts;
    this.counts.episodes += more.episodes;
    for (const [name, { episodes, tasks: played }] of more.environments) {
      const environment = environments.get(name);
      environments.set(name, { episodes: (environment?.episodes ?? 0) + episodes, tasks: both(environment?.tasks, played) });
    }
    for (const [run, episodes] of more.runs) grow(runs, run, episodes);
    for (const [name, { episodes, seats, models }] of more.agents) {
      const agent = agents.get(name);
      agents.set(name, {
        episodes: (agent?.episodes ?? 0) + episodes,
        seats: both(agent?.seats, seats),
        models: both(agent?.models, models),
      });
    }
    for (const [score, knownEntries] of more.judges) {
      const ownJudge = judges.get(score) ?? new Map<string, number>();
      judges.set(score, ownJudge);
      for (const [judge, scores] of knownEntries) grow(ownJudge, judge, scores);
    }
    for (const [key, source] of more.sources)
      sources.set(key, { ...source, episodes: (sources.get(key)?.episodes ?? 0) + source.episodes });
    for (const side of ['train', 'eval'] as const) both(tasks[side], more.tasks[side]);
  }

  get tasks(): { readonly train: number; readonly eval: number } {
    const { train, eval: retained } = this.counts.tasks;
    return { train: train.size, eval: retained.size };
  }

  /** The card as data. `specs` are all specs of the store; those of the agents are selected by name. */
  card(facts: CardFacts, specs: readonly { readonly hash: string; readonly spec: AgentSpec }[]): JsonObject {
    const { filter, split, files, ...rest } = facts;
    const { counts } = this;
    const agents = [...counts.agents].map(([name, { episodes, seats, models }]): JsonObject => {
      const ownSpecs = specs.filter(({ spec }) => spec.name === name);
      const licences = ownSpecs.flatMap(({ spec }) => licenceOf(spec) ?? []);
      return {
        name,
        episodes,
        seats: [...seats],
        models: [...models],
        specs: ownSpecs.map((item) => item.hash),
        personas: [...new Set(licences)],
      };
    });
    const judges = [...counts.judges].map(([score, knownEntries]): JsonObject => {
      return {
        score,
        judges: [...knownEntries].map(([judge, scores]) => ({ hash: hash(JSON.parse(judge)), scores, ...JSON.parse(judge) })),
      };
    });
    return {
      kind: 'ludus-dataset',
      ...(rest as JsonObject),
      files: files,
      filter: {
        query: { ...filter.query },
        statuses: filter.statuses ?? null,
        seats: filter.seats ?? null,
        bounds: boundsOf(filter.bounds),
        ...(filter.masks !== undefined && { masks: boundsOf(filter.masks) }),
      },
      split: { by: 'task', evalShare: split.evalShare, seed: split.seed, tasks: this.tasks },
      episodes: counts.episodes,
      worlds: [...counts.environments].map(([environment, { episodes, tasks }]) => ({ world: environment, episodes, tasks: tasks.size })),
      runs: [...counts.runs].map(([run, episodes]) => ({ run, episodes })),
      agents,
      scores: judges,
      sources: [...counts.sources.values()],
    };
  }
}

function grow(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** The union of both, added to the first set if there is one, so that a set of all tasks is not copied for each portion. */
function both<T>(knownEntries: Set<T> | undefined, more: ReadonlySet<T>): Set<T> {
  const joined = knownEntries ?? new Set<T>();
  for (const item of more) joined.add(item);
  return joined;
}

function boundsOf(bounds: readonly Bound[] = []): readonly string[] {
  return bounds.map(({ score, is, value }) => `${score}${is}${value}`);
}

/** Imported conversations name their source in the task. */
function sourceOf(task: Json): Source | null {
  const { format, licence, file } = fieldsOf(fieldsOf(fieldsOf(task)['world'])['source']);
  if (typeof format !== 'string') return null;
  const name = typeof file === 'string' ? `${format}: ${file}` : format;
  return { name, licence: typeof licence === 'string' ? licence : 'not stated' };
}

function licenceOf({ persona }: AgentSpec): string | null {
  if (persona === undefined) return null;
  const { license, basis } = fieldsOf(fieldsOf(persona)['provenance']);
  return `${typeof license === 'string' ? license : 'no license stated'}${typeof basis === 'string' ? ` (${basis})` : ''}`;
}

/** The card for people, with the lines at its head that the Hugging Face hub reads. */
export function cardText(card: JsonObject): string {
  const list = (name: string) => (card[name] ?? []) as readonly JsonObject[];
  const files = list('files');
  const split = fieldsOf(card['split']);
  const tasks = fieldsOf(split['tasks']);
  const left = Object.entries(fieldsOf(card['left']));
  return [
    ...hubLines(files),
    `# ${escapeMarkdown(String(card['name']))}`,
    '',
    `${card['about']}. Made by Ludus ${card['version']} on ${card['at']} from ${card['episodes']} episodes.`,
    '',
    ...(card['notes'] as readonly string[]),
    '',
    '## Files',
    '',
    ...table(['file', 'split', 'rows'], files, ['path', 'split', 'rows']),
    `The split is by task: ${tasks['train']} tasks are for training and ${tasks['eval']} for evaluation; no task is in both (share ${split['evalShare']}, seed ${split['seed']}).`,
    ...(left.length === 0 ? [] : ['', `Left out: ${left.map(([why, count]) => `${count} × ${why}`).join('; ')}.`]),
    '',
    '## Where it comes from',
    '',
    ...table(['world', 'episodes', 'tasks'], list('worlds'), ['world', 'episodes', 'tasks']),
    ...table(['run', 'episodes'], list('runs'), ['run', 'episodes']),
    ...table(['agent', 'seats', 'models', 'personas'], list('agents'), ['name', 'seats', 'models', 'personas']),
    '## Scores by judges',
    '',
    ...(list('scores').length === 0 ? ["None: the only scores are the environments' rewards.", ''] : []),
    ...table(
      ['score', 'judge', 'scores', 'provenance'],
      list('scores').flatMap(({ score, judges }) =>
        (judges as readonly JsonObject[]).map(({ hash: judge, scores, ...provenance }) => {
          return { score: score ?? '', judge: (judge as string).slice(0, 12), scores: scores ?? 0, provenance };
        }),
      ),
      ['score', 'judge', 'scores', 'provenance'],
    ),
    '## Licenses of the sources',
    '',
    ...(list('sources').length === 0
      ? ['Every episode was played in Ludus; what models wrote is under the terms of their makers.', '']
      : []),
    ...table(['source', 'licence', 'episodes'], list('sources'), ['name', 'licence', 'episodes']),
  ]
    .join('\n')
    .replace(linear(/\n*$/), '\n');
}

function hubLines(files: readonly JsonObject[]): readonly string[] {
  const data = files.filter(({ path }) => String(path).startsWith('data/'));
  if (data.length === 0) return [];
  const configs = Map.groupBy(data, ({ path }) => (String(path).split('/').length > 2 ? String(path).split('/')[1]! : 'default'));
  const lines = [...configs].flatMap(([name, jsonObjects]) => [
    `- config_name: ${name}`,
    '  data_files:',
    ...jsonObjects.flatMap(({ split, path }) => [`  - split: ${split}`, `    path: ${path}`]),
  ]);
  return ['---', 'tags: [ludus]', 'configs:', ...lines, '---', ''];
}

function table(head: readonly string[], rows: readonly JsonObject[], keys: readonly string[]): readonly string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(keys.map((key) => cell(row[key] ?? '')))), ''];
}

function cell(value: Json): string {
  const text = Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : String(value);
  return escapeMarkdown(text);
}
