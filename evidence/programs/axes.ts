/**
 * @file Dialogues of four characters in three scenes. The builder of `ludus persona suite` turns them into tasks, each with the axis
 * that a turn tests. The partner's lines are handwritten, each with its axis.
 *
 * Five players each lack one ability: they fail seven of ten turns of its axis, and one of ten others. A judge that errs in one of ten
 * comparisons compares them with the source. Options: axes ("built": by the builder; "shuffled" among tasks; "written": as the lines
 * were written), seed. Prints the share of players whose lowest axis is their missing ability, and the share of turns with the right
 * axis.
 */

import { parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { buildDialogueSuite } from '@ludus-agents/evaluation/internal/dialogue-suite';
import { type Json, type JsonObject, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { ProgramOptions } from '../arms.ts';

const lines: Readonly<Record<string, readonly string[]>> = {
  setting: [
    'You told me the gate would be shut by now, and it stands open.',
    'A moment ago you said that nobody had seen the letter.',
    'But that is not what you promised when we came in here.',
    'You mentioned a boat before. Is it still at the pier?',
    'So the fire that we spoke about is out, as you said?',
    'Let us go back to the key. Is it still under the stone where you put it?',
  ],
  recall: [
    'Where did you grow up?',
    'Who taught you your trade?',
    'How many brothers have you?',
    'When did you first come to this town?',
    'What is the name of your ship?',
    'Tell me about your father, I never met him.',
  ],
  reasoning: [
    'Why should anybody trust the mayor after last winter?',
    'What would you do if the bridge fell tonight?',
    'How come the well is dry and the river is not?',
    'What makes you think that she will return?',
    'Suppose the thief is one of us. How would we find out?',
    'Explain to me how one man could carry all of that.',
  ],
  preference: [
    'Would you rather walk or take the coach?',
    'Which song do you like best?',
    'Do you enjoy the company of soldiers?',
    'What is your favorite season?',
    'Do you prefer the sea to the hills?',
    'Tea or wine, what shall I pour you?',
  ],
  conversation: [
    'Good evening. A fine night, is it not?',
    'I am glad to see you here.',
    'It has rained for three days now.',
    'My feet hurt, and this bench is hard.',
    'Ah well, there is nothing to be done.',
    'Come in, come in, and shut the door.',
  ],
};
const axes = Object.keys(lines);
const written = new Map(axes.flatMap((axis) => lines[axis].map((line) => [line, axis] as const)));

const scenes = ['The inn at night.', 'The pier in the fog.', 'The square after the fair.'].map((background, i) => ({
  ...{ name: `scene ${i + 1}`, background, motivation: '', opening: '', characters: [] },
}));

export default async function run({ axes: named = 'built', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'axes');
  const personas = ['Mara Lindt', 'Olin Reyes', 'Quin Abara', 'Rosa Keller'].map((name) =>
    parsePersona({ name, statements: [`${name} lives here.`] }),
  );
  let turnCount = 0;
  // The seat that opens a turn says a line of the bank. The answer has nothing that a rule could read.
  const source = async () =>
    scripted('source', ({ view }) => {
      const isAsking = turnCount++ % 2 === 0 || view.seen.length === 0;
      return { text: isAsking ? random.pick(lines[random.pick(axes)]) : `Mm ${turnCount}.` };
    });
  const { suite } = await buildDialogueSuite({ name: 'axes', personas, scenes, turns: 16, seed: Number(seed), source });
  const tasks = suite.scenes.flatMap((scene) => scene.tasks as readonly JsonObject[]);
  const turns = tasks.flatMap((task) => {
    const last = (task['history'] as readonly { readonly text: string }[]).at(-1)?.text ?? '';
    const truth = written.get(last);
    return truth === undefined ? [] : [{ truth, axis: String(task['axis']) }];
  });
  const labels =
    named === 'shuffled'
      ? random.shuffle(turns.map(({ axis }) => axis))
      : turns.map((turn) => (named === 'written' ? turn.truth : turn.axis));
  const lacks = axes.map((lack) => {
    const rates = new Map(axes.map((axis) => [axis, [] as number[]]));
    for (const [i, { truth }] of turns.entries()) {
      const isGood = random.next() >= (truth === lack ? 0.7 : 0.1);
      rates.get(labels[i])?.push(random.next() < 0.9 === isGood ? 1 : 0);
    }
    const lowest = axes.toSorted((a, b) => meanOf(rates.get(a)) - meanOf(rates.get(b)))[0];
    return lowest === lack ? 1 : 0;
  });
  const right = meanOrZero(turns.map(({ truth, axis }) => (truth === axis ? 1 : 0)));
  return { named: meanOrZero(lacks), right, turns: turns.length };
}

/** An axis without turns is not the lowest of any player. */
function meanOf(values: readonly number[] | undefined): number {
  return values === undefined || values.length === 0 ? 1 : meanOrZero(values);
}
