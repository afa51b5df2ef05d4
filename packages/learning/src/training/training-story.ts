/** @file Summarizes a training from its journal: how it was played, its first, last and best figures; and compares two trainings. */

import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import { exploitabilityText, tooIllegalText } from '@ludus-agents/kernel/internal/core/legal-words';
import { warmUpFlag } from '../rl/collapse.ts';
import type { Recipe } from '../rl/recipe.ts';
import type { TrainingProgress, TrainingReport } from './train.ts';
import { environmentsOf } from './training-run.ts';

export interface TrainingStory {
  readonly run: string;
  readonly recipe: string;
  readonly method: string;
  readonly seed: number;
  readonly environments: readonly string[];
  /** The main figure, which decides whether less is better. */
  readonly figure: 'exploitability' | 'return';
  /** Null if too little of the policy was legal for a figure. */
  readonly first: number | null;
  readonly last: number | null;
  readonly best: number | null;
  /** The mean probability of legal moves at the end; null if exploitability is not measured. */
  readonly legal: number | null;
  readonly updates: number;
  readonly planned: number;
  readonly games: number;
  readonly tokens: number;
  readonly seconds: number;
  readonly invalid: number;
  /** The journal's sentences, and a summary of the figures. */
  readonly words: readonly string[];
  readonly curve: readonly { readonly games: number; readonly value: number | null }[];
  readonly settings: Recipe;
  /** All figures measured during the run. */
  readonly points: readonly TrainingProgress[];
  /** The final report; null if the training is not finished. */
  readonly end: TrainingReport | null;
}

/** The story of a training in a store. */
export async function trainingStory(store: Store, run: RunRecord): Promise<TrainingStory> {
  const { recipe, seed } = run.work as { readonly kind: string; readonly recipe: Recipe; readonly seed: number };
  const points = (await store.notes(run.id, 'metrics')) as readonly (TrainingProgress & { readonly collapsed?: string })[];
  const observations = (await store.notes(run.id, 'words')) as readonly { readonly text: string }[];
  const last = points.at(-1);
  if (last === undefined)
    throw new Fault('input', `Training run ${run.id} has no progress yet. Resume it with "ludus train --resume ${run.id}".`);
  const exact = points.every(({ exploitability, legal }) => exploitability !== null || legal != null);
  const values = points.map(({ exploitability, returned }) => (exact ? exploitability : (returned ?? 0)));
  const figures = values.filter((value) => value !== null);
  const story = {
    ...{ run: run.id, recipe: recipe.name, method: recipe.method, seed, environments: environmentsOf(recipe) },
    figure: exact ? ('exploitability' as const) : ('return' as const),
    ...{ first: values[0], last: values[values.length - 1], legal: last.legal ?? null },
    best: figures.length === 0 ? null : exact ? Math.min(...figures) : Math.max(...figures),
    ...{ updates: last.update, planned: last.updates, games: last.games, tokens: last.tokens, seconds: last.seconds },
    invalid: last.invalid,
    curve: points.map(({ games }, i) => ({ games, value: values[i] ?? null })),
    ...{ settings: recipe, points },
    end: ((await store.notes(run.id, 'report')) as readonly TrainingReport[]).at(-1) ?? null,
  };
  return { ...story, words: [...observations.map(({ text }) => text), ...wordsOf(story, last.collapsed)] };
}

function wordsOf(story: Omit<TrainingStory, 'words'>, collapsed: string | undefined): readonly string[] {
  const { updates, planned, games, tokens, seconds, invalid } = story;
  return [
    `${formatGrouped(games)} games in ${formatGrouped(updates)} of ${formatGrouped(planned)} updates, ${seconds.toFixed(1)} s${tokens > 0 ? `, ${formatGrouped(tokens)} tokens sampled` : ''}.`,
    changeText(story),
    ...brokenWords(invalid),
    ...(collapsed === undefined ? [] : [`It collapsed. ${collapsed}`]),
    ...(updates < planned && collapsed === undefined ? ['It is not finished.'] : []),
  ];
}

/** The change of the figure; omits a figure if too few answers are legal. */
function changeText({ figure, first, last, best, legal }: Omit<TrainingStory, 'words'>): string {
  const finest = best === null ? '' : ` The best during training was ${best.toFixed(4)}.`;
  if (last === null) return `${tooIllegalText(legal ?? 0)}${finest}`;
  const display = figure === 'exploitability' ? exploitabilityText({ exploitability: last, legal }) : last.toFixed(4);
  if (first === null) return `The ${figure} is ${display}; at first there was no figure, because too few answers were legal.${finest}`;
  if (first === last) return `The ${figure} did not change: ${display}.${finest}`;
  const better = figure === 'exploitability' ? last < first : last > first;
  return `The ${figure} went from ${first.toFixed(4)} to ${display}, which is ${better ? 'better' : 'worse'}.${finest}`;
}

/** The share of moves that broke the rules, with advice if it is high. */
export function brokenWords(invalid: number): readonly string[] {
  if (invalid === 0) return [];
  const advice = invalid < 0.1 ? '' : ` Let it imitate legal play first: ${warmUpFlag}, and more of it where that is too little.`;
  return [`${(100 * invalid).toFixed(1)}% of moves were illegal at the end.${advice}`];
}

/** Compares two trainings in sentences. */
export function compareStories(a: TrainingStory, b: TrainingStory): readonly string[] {
  const name = (story: TrainingStory) => `${story.run} (${story.recipe}, seed ${story.seed})`;
  const line = (story: TrainingStory) =>
    `${name(story)}: ${story.figure} ${valueText(story.first)} → ${valueText(story.last)}, best ${valueText(story.best)}${story.legal === null ? '' : `, ${(100 * story.legal).toFixed(1)}% legal at the end`}, ${formatGrouped(story.games)} games, ${formatGrouped(story.tokens)} tokens.`;
  if (a.figure !== b.figure || a.environments.join() !== b.environments.join())
    return [line(a), line(b), 'They are measured by different things or in different environments, so neither is better.'];
  if (a.last === null || b.last === null)
    return [line(a), line(b), 'Where there is no figure, too few answers are legal moves, so the runs cannot be compared.'];
  const ahead = a.figure === 'exploitability' ? b.last - a.last : a.last - b.last;
  const verdict = ahead === 0 ? 'Both end alike.' : `${name(ahead > 0 ? a : b)} ends better by ${Math.abs(ahead).toFixed(4)}.`;
  const unequal = a.games === b.games ? '' : ' They have played different numbers of games.';
  const [item, other] = [a.recipe, b.recipe];
  const more = item === other ? `"ludus train ${item} --seeds 5"` : `"ludus train ${item},${other} --seeds 5"`;
  return [line(a), line(b), `${verdict}${unequal} One run each says nothing about the methods. For intervals, use ${more}.`];
}

function valueText(value: number | null): string {
  return value === null ? 'no figure' : value.toFixed(4);
}

/** The story as a document. */
export function storyMarkdown(story: TrainingStory): string {
  const { run, recipe, method, seed, environments, words, curve, figure } = story;
  const step = Math.max(1, Math.ceil(curve.length / 10));
  const rows = curve
    .filter((_, i) => i % step === 0 || i === curve.length - 1)
    .map(({ games, value }) => `| ${formatGrouped(games)} | ${valueText(value)} |`);
  const about = `${method} (\`${recipe}\`), seed ${seed}, in ${environments.join(', ')}.`;
  return [
    `# Training ${run}`,
    '',
    about,
    '',
    ...words.map((word) => `- ${word}`),
    '',
    `| games | ${figure} |`,
    '| --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
