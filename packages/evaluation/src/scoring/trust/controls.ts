/**
 * @file Judges of known quality, as models that read the prompt: the content of their trust cards is known beforehand.
 *
 * The honest one knows what corruptors plant and looks for it in the lines it is shown; the others answer without looking: always full
 * marks, by dice, by length, by position.
 */

import { Fault, hash, type Json, type Model, type Prompt, type Rng, rng, type Sampling } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { Rubric } from '../judges/rubric.ts';
import { type Control, controlNames } from './control-names.ts';
import { brokenStyles, denial, harms, insults, machineLines, surrenders } from './corrupt.ts';

interface Line {
  readonly event: number;
  readonly text: string;
}

/** The finding of a judge about an episode: its quality from 0 to 1, and the deciding line. */
interface Opinion {
  readonly worth: number;
  readonly line: Line;
}

interface Sheet {
  readonly prompt: string;
  readonly card: string;
  readonly secrets: readonly string[];
  /** Lines of the judged seat, episode by episode. */
  readonly episodes: readonly (readonly Line[])[];
  readonly dice: Rng;
}

type View = (lines: readonly Line[], sheet: Sheet) => Opinion;

const views: Readonly<Record<Control, View>> = {
  honest(lines, sheet) {
    const flawed = lines.find((line, i) => isFlawed(line.text, lines.slice(0, i), sheet));
    return { worth: flawed === undefined ? 1 : 0, line: flawed ?? best(lines) };
  },
  constant: (lines) => ({ worth: 1, line: best(lines) }),
  random: (lines, { dice }) => ({ worth: dice.next(), line: dice.pick(lines) }),
  longest: (lines) => ({ worth: Math.min(1, lines.reduce((sum, { text }) => sum + text.length, 0) / 1500), line: best(lines) }),
  first: (lines) => ({ worth: 0.5, line: best(lines) }),
};

export function controlJudge(control: Control, rubric: Rubric): Model {
  if (!controlNames.includes(control))
    throw new Fault(
      'input',
      `Unknown control judge "${control}". Available: ${controlNames.join(', ')}.${didYouMean(control, controlNames)}`,
      { code: 'E_UNKNOWN_NAME' },
    );
  const id = `control/${control}`;
  return {
    id,
    async complete(prompt, sampling, signal) {
      signal.throwIfAborted();
      const sheet = sheetOf(prompt, sampling);
      const text = JSON.stringify(replyTo(rubric, control, sheet));
      const usage = { promptTokens: Math.ceil(sheet.prompt.length / 4), completionTokens: Math.ceil(text.length / 4) };
      return { model: id, prompt, text, finish: 'stop', usage, cost: 0 };
    },
  };
}

function sheetOf({ messages }: Prompt, sampling: Sampling): Sheet {
  const prompt = messages[1]?.content ?? '';
  const seat = linear(/Judge the seat "([^"]*)" alone/).exec(prompt)?.[1];
  const episodes = [...prompt.matchAll(/^EPISODE(?: [AB])?\n((?:\d+ \|.*\n?)*)/gmu)].map((match) =>
    [...match[1].matchAll(/^(\d+) \| ([^|]*) \| (.*)$/gmu)]
      .filter((line) => seat === undefined || line[2] === seat)
      .map((line) => ({ event: Number(line[1]), text: line[3] })),
  );
  const card = linear(/^WHO THE SEAT IS MEANT TO BE\n((?:.+\n)*)/mu).exec(prompt)?.[1] ?? '';
  const secrets = [...card.matchAll(/^secret \| (.*)$/gmu)].map((match) => match[1]);
  const dice = rng(Number.parseInt(hash({ messages, sampling }).slice(0, 12), 16), 'control');
  return { prompt, card, secrets, episodes, dice };
}

function isFlawed(text: string, before: readonly Line[], { card, secrets }: Sheet): boolean {
  const planted = [...machineLines, ...insults, ...harms, ...brokenStyles, ...surrenders, ...secrets, denial];
  if (planted.some((sentence) => text.includes(sentence))) return true;
  if (before.some((line) => line.text === text)) return true;
  // A card that names no number says nothing about numbers.
  return /\d/.test(card) && (text.match(/\d+/g) ?? []).some((number) => !new RegExp(`\\b${number}\\b`).test(card));
}

function best(lines: readonly Line[]): Line {
  return lines.reduce((longest, line) => (line.text.length > longest.text.length ? line : longest), lines[0]);
}

function replyTo(rubric: Rubric, control: Control, sheet: Sheet): Json {
  const opinions = sheet.episodes.map((lines) => views[control](lines, sheet));
  const [first, second] = opinions as [Opinion, Opinion];
  const quote = ({ line }: Opinion) => ({ event: line.event, quote: line.text });
  const labelledItems = (label: string) => [...sheet.prompt.matchAll(new RegExp(`^${label} (\\S+) \\|`, 'gmu'))].map((match) => match[1]);
  if (rubric.form === 'pairwise') {
    const lead = control === 'first' ? 1 : Math.sign(first.worth - second.worth);
    return { axis: labelledItems('AXIS')[0] ?? '', preference: 3 - 2 * lead, a: quote(first), b: quote(second) };
  }
  if (rubric.form === 'penalty')
    return {
      axes: labelledItems('AXIS').map((axis) => {
        const severity = 1 + Math.round((1 - first.worth) * (rubric.severity.to - 1));
        return { axis, flaws: severity > 1 ? [{ ...quote(first), severity }] : [], best: quote(first) };
      }),
    };
  const good = new Map<string, 'yes' | 'no'>(
    rubric.axes.flatMap((axis) => axis.questions.map(({ id, points }) => [`${axis.id}-${id}`, points > 0 ? 'yes' : 'no'] as const)),
  );
  const items = labelledItems('ITEM');
  const answers = items.map((item, i) => {
    const passed = control === 'random' ? sheet.dice.next() < 0.5 : i < first.worth * items.length;
    return { item, answer: (good.get(item) === 'yes') === passed ? 'yes' : 'no', ...quote(first) };
  });
  return { answers };
}
