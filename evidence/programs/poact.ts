/**
 * @file The pipeline "poact" on two kinds of questions with 24 listed answers: sums, which a program solves, and routes, which a plan
 * solves. A script replaces the model: it names the right policy for nine of ten questions, errs in one of ten programs and in 15 of
 * 100 plans, is right in 35 of 100 cases by thought alone, and takes any visible move in three of ten answers.
 *
 * Options: arm ("on"; "fixed": it always thinks, and all moves stay available; "chance": a random policy), questions, seed. Prints the
 * share of right answers, the moves that the last module was shown, and how often they were narrowed.
 */

import { type Agent, type Json, type Rng, rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { askTeam, quiz } from './_teams.ts';

const moves = Array.from({ length: 24 }, (_, i) => String(i + 10));
const policies = ['plan', 'thought', 'code'];

function draw(random: Rng) {
  const right = random.pick(moves);
  const [a, b] = [2 + random.int(90), 2 + random.int(90)];
  const shift = (((Number(right) - a * b) % 97) + 97) % 97;
  const [first, second] = random.shuffle(moves.filter((move) => move !== right)).slice(0, 2);
  const sum = `Sum: ${a} * ${b} + ${shift} modulo 97.`;
  const way = `Way: ${first} leads to ${second}, ${second} leads to ${right}, ${right} is the end. Name the end.`;
  return { text: random.next() < 0.5 ? sum : way, right, choices: moves };
}

function mind(arm: string, count: (moves: number) => void): Agent {
  return {
    name: 'mind',
    speaks: true,
    act: (turn) => ({ action: { text: answer(turn) } }),
  };

  function answer({ view: { seen: items }, ask, rng: random }: Turn): string {
    const texts = items.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
    const before = items.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []));
    const question = texts[0] ?? '';
    const tell = texts.at(-1) ?? '';
    const [, a, b, c] = /Sum: (\d+) \* (\d+) \+ (\d+)/.exec(question) ?? [];
    const isSum = a !== undefined;
    const right = isSum ? String((Number(a) * Number(b) + Number(c)) % 97) : (/(\d+) is the end/.exec(question)?.[1] ?? '');
    if (tell.includes('Choose how')) {
      const wanted = isSum ? 'code' : 'plan';
      const policy = arm === 'chance' || random.next() >= 0.9 ? random.pick(policies) : wanted;
      return `Policy: ${policy}`;
    }
    if (tell.includes('as a program')) {
      const shift = random.next() < 0.1 ? 1 : 0;
      return isSum ? `\`\`\`js\n(${a} * ${b} + ${Number(c) + shift}) % 97\n\`\`\`` : '```js\nway()\n```';
    }
    if (tell.includes('Write the steps')) return `Next: ${!isSum && random.next() < 0.85 ? right : random.pick(moves)}`;
    if (tell.includes('Think the next')) return `Next: ${random.next() < 0.35 ? right : random.pick(moves)}`;
    if (tell.includes('ways are closed')) return 'Closed: none';
    const choices = ask.choices ?? moves;
    count(choices.length);
    const idea = [...texts, ...before].flatMap((text) => /(?:Next|Output): (\d+)/.exec(text)?.[1] ?? []).at(-1);
    const slips = random.next() < 0.3 || idea === undefined || !choices.includes(idea);
    return `Answer: ${slips ? random.pick(choices) : idea}`;
  }
}

export default async function run({ arm = 'on', questions = 60, seed = 1 }: ProgramOptions): Promise<Json> {
  let [right, narrowed, choicesSeen] = [0, 0, 0];
  const modules = [
    { name: 'thought', tell: 'Think the next step through.' },
    { name: 'review', tell: 'Which ways are closed?' },
    { name: 'act', tell: 'Act.' },
  ];
  const settings = arm === 'fixed' ? { protocol: 'pipeline', modules } : { protocol: 'pipeline', pipeline: 'poact' };
  for (let i = 0; i < Number(questions); i++) {
    const agents = { mind: mind(String(arm), (moves) => (choicesSeen += moves)) };
    const result = await askTeam(quiz(draw), settings, agents, rng(Number(seed), i).int(2 ** 31));
    right += result.paid / Number(questions);
    narrowed += result.mind?.acted['narrowed'] ?? 0;
  }
  return { right, shown: choicesSeen / Number(questions), narrowed };
}
