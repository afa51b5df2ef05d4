/**
 * @file Where the rule judge of PersonaGym puts players of known quality: `npm run bench -- gym`. Twenty cards in several formats, none of the gallery, with
 * questions that were generated from them and answers that a writer gave in the role, in other words than the card's. `--cards=FOLDER` reads
 * your own: the cards, and answers.json with {"FILE": [{"task", "question", "answer"}, …]}.
 *
 * The thresholds of the judge were set on the cards at odd places of the list; the others were judged once with them.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { importPersona, withNames } from '@ludus-agents/agents/internal/personas/index';
import { gymRules } from '@ludus-agents/evaluation/internal/probes/gym-rules';
import { type GymTask, gymTasks } from '@ludus-agents/evaluation/internal/probes/gym-settings';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

interface Interview {
  readonly task: GymTask;
  readonly question: string;
  readonly answer: string;
}

/** Fluent prose that has nothing to do with any card. */
const unrelated = [
  'Glaciers move because the ice at their base melts under its own weight. I have read that the fastest of them advance more than forty meters in a day.',
  'The committee met on Tuesday to discuss the new parking rules, and I took the minutes since nobody else would.',
  'To make a good risotto you toast the rice first, so that each grain keeps its bite. I add the broth slowly, because patience makes the difference.',
  'My favorite season is autumn, because the light is softer and the crowds have gone home. I like to walk for hours without meeting anyone I know.',
  'I believe that public transport should be free, because cities would be cleaner and quieter. Studies suggest that the effect is smaller than its supporters hoped.',
] as const;

interface Player {
  readonly name: string;
  readonly goal: string;
  answers(own: readonly Interview[], others: readonly (readonly Interview[])[], lines: readonly string[]): readonly string[];
}

const answersOf = (interview: readonly Interview[]) => interview.map(({ answer }) => answer);

const players: readonly Player[] = [
  { name: 'answers of the character', goal: 'near 5', answers: answersOf },
  {
    name: 'every second answer of the character',
    goal: 'between',
    answers: (own) => own.map(({ answer }, i) => (i % 2 === 0 ? answer : 'ok')),
  },
  { name: 'lines of the card, in order', goal: 'between', answers: (own, _, lines) => own.map((_, i) => lines[i % lines.length] ?? '') },
  { name: 'answers of another character', goal: 'near 1', answers: (_, others) => answersOf(others[6] ?? []) },
  { name: 'answers of a third character', goal: 'near 1', answers: (_, others) => answersOf(others[12] ?? []) },
  { name: 'unrelated prose', goal: 'near 1', answers: () => unrelated },
  { name: 'the question again', goal: 'near 1', answers: (own) => own.map(({ question }) => question) },
  { name: '"ok"', goal: 'near 1', answers: (own) => own.map(() => 'ok') },
  { name: 'an empty text', goal: 'near 1', answers: (own) => own.map(() => '') },
];

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const folder = typeof flags['cards'] === 'string' ? flags['cards'] : join(import.meta.dirname, 'cards');
  const interviews = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8')) as Readonly<Record<string, readonly Interview[]>>;
  const files = readdirSync(folder)
    .filter((file) => Object.hasOwn(interviews, file))
    .sort()
    .slice(0, flags['smoke'] === true ? 2 : undefined);
  const draws = sizeOf(flags, 'draws', 1000, 10);
  const encoder = flags['smoke'] === true ? null : await installedEncoder();
  const figures: Figure[] = [{ name: 'cards', value: files.length, unit: 'cards' }];
  for (const embedder of encoder === null ? [null] : [null, encoder]) {
    const by = embedder === null ? 'words' : 'meaning';
    const scores = new Map(players.map(({ name }) => [name, [] as number[]] as const));
    for (const [at, file] of files.entries()) {
      const { persona } = importPersona(readFileSync(join(folder, file)));
      const rules = gymRules(withNames(persona), embedder);
      const own = interviews[file] ?? [];
      const others = files.slice(1).map((_, i) => interviews[files[(at + i + 1) % files.length] ?? ''] ?? []);
      const lines = withNames(persona).statements.map(({ text }) => text);
      const questions = own.map(({ question }) => question);
      for (const player of players) {
        const answers = player.answers(own, others, lines);
        const values = await Promise.all(gymTasks.map((task) => rules.read(task, questions, answers)));
        scores.get(player.name)?.push(mean(values));
      }
    }
    for (const { name, goal } of players) {
      const values = scores.get(name) ?? [];
      figures.push({
        name: `by ${by}: ${name}`,
        value: mean(values),
        unit: 'of 5',
        goal,
        note: `${spread(values, draws)}, cards drawn again`,
      });
      for (const [half, rest] of [
        ['thresholds set here', 0],
        ['judged once', 1],
      ] as const)
        if (name.startsWith('answers of'))
          figures.push({ name: `by ${by}: ${name}, ${half}`, value: mean(values.filter((_, i) => i % 2 === rest)), unit: 'of 5' });
    }
    const faithful = scores.get(players[0]?.name ?? '') ?? [];
    const wrong = players
      .filter(({ goal }) => goal === 'near 1')
      .flatMap(({ name }) => [(scores.get(name) ?? []).map((score, i) => [faithful[i] ?? 0, score] as const)]);
    const wins = wrong.flat().filter(([right, other]) => right > other).length;
    figures.push({
      name: `by ${by}: the character above a player without the card`,
      value: wins / wrong.flat().length,
      unit: 'share of pairs',
      note: 'chance .5',
    });
  }
  return figures;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function spread(values: readonly number[], draws: number): string {
  const dice = rng(7011, 'gym');
  const means = Array.from({ length: draws }, () => mean(values.map(() => dice.pick(values)))).sort((a, b) => a - b);
  const at = (share: number) => (means[Math.min(draws - 1, Math.floor(share * draws))] ?? 0).toFixed(2);
  return `${at(0.025)} to ${at(0.975)}`;
}
