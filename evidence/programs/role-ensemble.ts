/**
 * @file Questions of two kinds for an agent with a role. The role is better at one kind (.8 right) and worse at the other (.4) than the
 * same model without a role (.6). A scripted model reads from the prompt whether it has the role, so a neutral arm that leaks the role
 * fails. The judge is right in 7 of 10 comparisons, and otherwise prefers the first answer.
 *
 * Options: by ("ensemble", "role twice", "role", or "neutral"), bias, seed. Prints the share of right answers overall, and for the kind
 * that the role harms.
 */

import { llmAgent } from '@ludus-agents/agents/internal/llm/agent';
import { type Environment, type Json, type Model, type ModelCall, type Prompt, rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import type { ProgramOptions } from '../arms.ts';

const questions = 200;
const letters = ['P', 'Q', 'R', 'S'];
const persona = { name: 'Ilse Varga', statements: ['Ilse Varga has kept bees for thirty years.'], goals: ['To be asked about bees.'] };
const kinds = ['bees', 'taxes'] as const;

type State = { readonly done: boolean };

/** One question with four listed answers. */
function quiz(kind: string, n: number): Environment<State, Json> {
  return {
    id: 'quiz@1',
    about: { summary: 'A question.', tasks: [{}], turns: 1 },
    parameters: {},
    task: (input) => input,
    seats: () => ['guest'],
    start: () => ({
      state: { done: false },
      messages: [{ to: ['guest'], text: `Question ${n} about ${kind}: which letter?` }],
      asks: [{ seat: 'guest', choices: letters.map((letter) => `[${letter}]`) }],
    }),
    step: () => ({ state: { done: true }, messages: [], asks: [] }),
  };
}

export default async function run({ by = 'ensemble', bias = 1, seed = 1 }: ProgramOptions): Promise<Json> {
  const right = { bees: 0, taxes: 0 };
  let compared = 0;
  for (let n = 0; n < questions; n++) {
    const kind = kinds[n % 2];
    const key = letters[rng(Number(seed), 'key', n).int(4)];
    const model = respondent({ kind, key, by: String(by), bias: Number(bias), seed: `${seed} ${n}` });
    const agent = await llmAgent({
      spec: {
        ...{ name: 'guest', kind: 'llm' },
        ...(by === 'neutral' ? {} : { persona: persona as Json }),
        settings: { architecture: by === 'role' || by === 'neutral' ? 'plain' : 'jekyll-hyde' },
      },
      seat: 'guest',
      model,
    });
    for await (const event of play(quiz(kind, n), { guest: agent }, { seed: Number(seed) + n }))
      if (event.kind === 'action') {
        if (event.action.text.includes(`[${key}]`)) right[kind]++;
        const ensemble = (event.mind as { readonly ensemble?: { readonly comparisons: number } } | undefined)?.ensemble;
        if ((ensemble?.comparisons ?? 0) > 0 && by === 'ensemble') compared++;
      }
  }
  return {
    right: (right.bees + right.taxes) / questions,
    harmed: right.taxes / (questions / 2),
    helped: right.bees / (questions / 2),
    compared,
  };
}

interface Respondent {
  readonly kind: (typeof kinds)[number];
  readonly key: string;
  readonly by: string;
  readonly bias: number;
  readonly seed: string;
}

function respondent({ kind, key, by, bias, seed }: Respondent): Model {
  let samples = 0;
  const random = rng(1, seed, 'judge');
  return {
    id: 'respondent',
    async complete(prompt) {
      const text = textIn(prompt);
      if (prompt.messages[0]?.content.startsWith('You compare')) return callOf(prompt, preferredAnswer(text));
      const hasRole = /Ilse|Varga|bees for thirty/.test(text) || by === 'role twice';
      const odds = hasRole ? (kind === 'bees' ? 0.8 : 0.4) : 0.6;
      const draw = rng(1, seed, hasRole ? 'role' : 'neutral', samples++);
      const wrong = letters.filter((letter) => letter !== key);
      return callOf(prompt, `Action: [${draw.next() < odds ? key : wrong[draw.int(wrong.length)]}]`);
    },
  };

  /** The right answer in 7 of 10 comparisons; else the first, with the share `bias`, or either. */
  function preferredAnswer(text: string): string {
    const [first = '', second = ''] = text.split('<answer-b>');
    const [a, b] = [first.split('<answer-a>')[1] ?? '', second].map((answer) => answer.includes(`[${key}]`));
    if (a !== b && random.next() < 0.7) return a ? 'A' : 'B';
    return random.next() < bias ? 'A' : random.next() < 0.5 ? 'A' : 'B';
  }
}

function textIn({ messages }: Prompt): string {
  return messages.map(({ content }) => content).join('\n');
}

function callOf(prompt: Prompt, text: string): ModelCall {
  return { model: 'respondent', prompt, text, finish: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, cost: null };
}
