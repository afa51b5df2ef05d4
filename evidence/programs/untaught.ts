/**
 * @file A language model as it is, without training, answers as a person of the product. Options: ground ("role": sums, last letters, and
 * orders with four listed answers, of which it takes the likeliest; "story": a story with the answers to three questions), role ("fitting",
 * "other", "own" for several personas of its own choice, or "none"), server ("URL#MODEL"), seed. Prints the share of right answers, and the
 * number of prompts with a role.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createModel } from '@ludus-agents/agents/internal/models/index';
import type { Action, AgentSpec, AnyEnvironment, Json, Rng } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { playOne } from './_play.ts';

interface Item {
  readonly text: string;
  readonly choices?: readonly string[];
  /** What the answer is, or what a story must hold. */
  readonly wanted: readonly string[];
}

const words = 'apple river candle marble tiger window garden silver doctor basket'.split(' ');

function problemOf(random: Rng): Item {
  const kind = random.int(3);
  if (kind === 0) {
    const [a, b] = [11 + random.int(40), 11 + random.int(40)];
    const choices = random.shuffle([a + b, a + b + 10, a + b - 1, a + b - 9].map(String));
    return { text: `What is ${a} plus ${b}?`, choices, wanted: [String(a + b)] };
  }
  const pair = random.shuffle(words).slice(0, 2);
  if (kind === 1) {
    const last = pair.map((word) => word.at(-1)).join('');
    const others = ['an', 'er', 'ts', 'le', 'ow', 'nr', 'rl', 'te'].filter((text) => text !== last);
    const choices = random.shuffle([last, ...random.shuffle(others).slice(0, 3)]);
    return { text: `Take the last letters of "${pair.join(' ')}" and put them together.`, choices, wanted: [last] };
  }
  const four = random.shuffle(words).slice(0, 4);
  return { text: `Which of these words comes first in the alphabet: ${four.join(', ')}?`, choices: four, wanted: [[...four].sort()[0]] };
}

/** Facts of several fields that a small model may know. */
const facts = [
  ['What is the capital of France?', 'Paris'],
  ['What is the capital of Japan?', 'Tokyo'],
  ['What is the capital of Italy?', 'Rome'],
  ['Who wrote Hamlet?', 'Shakespeare'],
  ['Who wrote "Pride and Prejudice"?', 'Austen'],
  ['Which planet is the largest?', 'Jupiter'],
  ['Which planet is closest to the sun?', 'Mercury'],
  ['What is the chemical symbol of gold?', 'Au'],
  ['What gas do plants take in?', 'carbon'],
  ['Who painted the Mona Lisa?', 'Leonardo'],
  ['Which ocean is the largest?', 'Pacific'],
  ['Which is the longest river of Africa?', 'Nile'],
  ['Who developed the theory of relativity?', 'Einstein'],
  ['In which country are the pyramids of Giza?', 'Egypt'],
  ['Which animal is the tallest?', 'giraffe'],
  ['What is frozen water called?', 'ice'],
] as const;

function storyOf(random: Rng): Item {
  const topics = random.shuffle(facts).slice(0, 3);
  const questions = topics.map(([question], i) => `${i + 1}. ${question}`).join('\n');
  return {
    text: `Write a short story of four sentences that tells the answers to these questions:\n${questions}`,
    wanted: topics.map(([, answer]) => answer),
  };
}

/** One item that the seat "guest" answers; every wanted text pays its share. */
function quizOf({ text, choices, wanted }: Item): AnyEnvironment {
  return {
    id: 'untaught@1',
    about: { summary: 'A question.', tasks: [{}], turns: 1, complete: choices !== undefined },
    parameters: {},
    task: () => ({}),
    seats: () => ['guest'],
    start: () => ({
      state: {},
      messages: [{ to: ['guest'], text }],
      asks: [{ seat: 'guest', ...(choices !== undefined && { choices }) }],
    }),
    step(state: object, actions: Readonly<Record<string, Action>>) {
      const statement = actions['guest']?.text ?? '';
      const matches = wanted.filter((each) =>
        choices === undefined ? statement.toLowerCase().includes(each.toLowerCase()) : statement === each,
      );
      return { state, messages: [], asks: [], rewards: { guest: matches.length / wanted.length } };
    },
  };
}

const personas = {
  fitting: {
    name: 'Professor Adler',
    feedback: 'I am Professor Adler. I have taught arithmetic, spelling and logic for thirty years, and I answer every exercise exactly.',
  },
  other: {
    name: 'Gardener Adler',
    feedback: 'I am Gardener Adler. I have grown roses, pears and lilies for thirty years, and I water every bed of them exactly.',
  },
} as const;

function specOf(ground: string, role: string): AgentSpec {
  const base = { name: 'guest', kind: 'llm', model: 'base' };
  if (ground === 'role') {
    const settings = { choose: 'score', prompt: 'compact', temperature: 0 };
    if (role === 'none') return { ...base, settings };
    const { name, feedback } = personas[role as keyof typeof personas];
    return { ...base, persona: { name }, settings: { ...settings, architecture: 'role-play', feedback } };
  }
  const settings = { prompt: 'compact', temperature: 0, maxTokens: 300 };
  return { ...base, settings: role === 'own' ? { ...settings, architecture: 'solo-performance' } : settings };
}

export default async function run({
  ground = 'role',
  role = 'fitting',
  server = '',
  items = 120,
  seed = 1,
}: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'untaught', ground);
  const list = Array.from({ length: Number(items) }, () => (ground === 'role' ? problemOf(random) : storyOf(random)));
  const model = await createModel(String(server).startsWith('gguf:') ? String(server) : `tinker:${server}`);
  const load = createAgentLoader({ model: async () => model });
  const returns = await forEachOf(list, async (item, i) => {
    const environment = quizOf(item);
    const guest = await load(specOf(String(ground), String(role)), 'guest', environment);
    return (await playOne(environment, { guest }, {}, Number(seed) * 1000 + i)).returns['guest'] ?? 0;
  });
  return {
    right: returns.reduce((sum, each) => sum + each, 0) / returns.length,
    acted: role === 'fitting' || role === 'own' ? returns.length : 0,
  };
}
