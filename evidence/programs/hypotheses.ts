/**
 * @file A machine computes a function of three terms with hidden digits. Each of six moves is a trial, which costs .02, or the answer.
 * A script replaces the model: it knows the instructions, the last result, and what it is told. It proposes digits that explain the
 * last result (in four of five cases), misjudges one in ten contradictions, and finds the most informative trial in nine of ten cases.
 *
 * Options: arm ("idea", "pangu": the pipelines of these names; "plain": the same number of calls without memory), calls (per turn of
 * "plain"), off (modules), seed. Prints the mean return of 40 machines, the share of right answers, the calls per machine, and how
 * often the pipeline kept hypotheses or a plan.
 */

import { readTeamMind, type TeamMind, teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { inputs, valueAt } from '@ludus-agents/environments/internal/rules/puzzles';
import { type Json, type JsonObject, type Rng, scripted, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';
import { textsIn } from './_readers.ts';

const [machines, steps, most, proposed] = [40, 6, 40, 8];
const settingsOf = (arm: string, calls: number): JsonObject =>
  arm === 'plain'
    ? {
        modules: Array.from({ length: calls }, (_, i) =>
          i === calls - 1 ? { name: 'act', tell: 'Act.' } : { name: `think ${i}`, tell: 'Think about it.' },
        ),
      }
    : { pipeline: arm };

/** The machine as its brief tells it, and the last trial with its result. */
function situationIn(turn: Turn) {
  const texts = textsIn(turn);
  const terms = [...(/f\(x\) = (.+) with hidden/.exec(texts.join('\n'))?.[1] ?? '').matchAll(/[abc] \* ([^+]+?)(?= \+|$)/g)].map(
    (match) => match[1] as string,
  );
  const results = texts.flatMap((text) => [...text.matchAll(/^f\((-?\d)\) = (\S+)$/gm)].map(([, x, value]) => ({ x: Number(x), value })));
  return { terms, last: results.at(-1), made: results.length };
}

const digitsOf = (digits: string) => [...digits].map(Number);
const explains = (terms: readonly string[], digits: string, { x, value }: { readonly x: number; readonly value?: string }) =>
  valueAt(terms, digitsOf(digits), x) === value;

/** Digits that explain the last result, most of them. */
function proposals({ terms, last }: ReturnType<typeof situationIn>, random: Rng): readonly string[] {
  const all = Array.from({ length: 10 ** terms.length }, (_, n) => String(n).padStart(terms.length, '0'));
  const fitting = last === undefined ? all : all.filter((digits) => explains(terms, digits, last));
  return random
    .shuffle(fitting)
    .slice(0, proposed)
    .map((digits) => (random.next() < 0.8 ? digits : random.pick(all)));
}

/** What is left of some hypotheses after the last result; one in ten verdicts is wrong. */
function checkHypotheses(list: readonly string[], { terms, last }: ReturnType<typeof situationIn>, random: Rng): readonly string[] {
  return last === undefined ? list : list.filter((digits) => explains(terms, digits, last) !== random.next() < 0.1);
}

/** The trial that tells most hypotheses apart; any in one of ten cases, or where there are none. */
function trialFor(list: readonly string[], terms: readonly string[], random: Rng): number {
  if (list.length < 2 || random.next() < 0.1) return random.pick(inputs);
  const worth = (x: number) => new Set(list.map((digits) => valueAt(terms, digitsOf(digits), x))).size;
  return [...inputs].sort((a, b) => worth(b) - worth(a))[0] as number;
}

const linesIn = (texts: readonly string[], label: string) =>
  [...texts.join('\n').matchAll(new RegExp(`^${label}: ([\\d ]*)`, 'gm'))].map((match) =>
    (match[1] ?? '').split(' ').filter((word) => word !== ''),
  );

/** What it is told from earlier turns and what it said in this one, without what it has forgotten. */
function answer(turn: Turn): string {
  const situation = situationIn(turn);
  const { terms, made: tested } = situation;
  const { rng: random, ask } = turn;
  const texts = textsIn(turn);
  const tell = texts.at(-1) ?? '';
  const since = turn.view.seen.slice(
    turn.view.seen.findLastIndex((item) => item.kind === 'message' && /f\(x\)|f\(-?\d\) =/.test(item.text)),
  );
  const spoken = since.flatMap((item) => (item.kind === 'action' ? [item.action.text] : item.kind === 'message' ? [item.text] : []));
  const latest = (label: string) => linesIn(spoken, label).at(-1);
  if (tell.includes('does what you saw contradict'))
    return `Hypotheses: ${checkHypotheses(latest('Hypotheses') ?? [], situation, random).join(' ')}`;
  if (tell.includes('What else could explain')) {
    const before = latest('Hypotheses') ?? [];
    return `Hypotheses: ${[...new Set([...before, ...proposals(situation, random)])].slice(0, most).join(' ')}`;
  }
  if (tell.includes('Which act tells')) return `Trial: ${trialFor(latest('Hypotheses') ?? [], terms, random)}`;
  if (tell.includes('Write a plan')) {
    const left = checkHypotheses(latest('Plan') ?? [], situation, random);
    return `Plan: ${[...new Set([...left, ...proposals(situation, random)])].slice(0, most).join(' ')}`;
  }
  if (tell.includes('what in the plan may be wrong')) return `Trial: ${trialFor(latest('Plan') ?? [], terms, random)}`;
  if (tell.includes('Think about it'))
    return `Thought: ${[...new Set([...(latest('Thought') ?? []), ...proposals(situation, random)])].slice(0, most).join(' ')}`;
  const list = latest('Hypotheses') ?? latest('Plan') ?? latest('Thought') ?? [];
  const answers = (ask.choices ?? []).filter((choice) => choice.startsWith('[answer '));
  const fitting = answers.filter((choice) => list.includes(choice.replace(/\D/g, '')));
  const isSure = tested > 0 && fitting.length === 1 && list.length < 4;
  if (isSure || tested >= steps - 1) return `Answer: ${random.pick(fitting.length > 0 ? fitting : answers)}`;
  const trial = [...spoken.join('\n').matchAll(/^Trial: (-?\d)/gm)].at(-1)?.[1] ?? String(trialFor(list, terms, random));
  return `Answer: [try ${trial}]`;
}

export default async function run({ arm = 'idea', calls = 4, off = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const [environment, discussion] = [await builtInEnvironment('rules'), await builtInEnvironment('discussion')];
  const task = { kind: 'function', terms: 3, steps, cost: 0.02 };
  let [totalReturn, right, callCount, ranSteps] = [0, 0, 0, 0];
  const script = Object.assign(
    (turn: Turn) => {
      callCount++;
      return { text: answer(turn) };
    },
    { speaks: true as const },
  );
  const settings = { ...settingsOf(String(arm), Number(calls)), members: ['mind'], ...(off === '' ? {} : { off: String(off).split(',') }) };
  for (let i = 0; i < machines; i++) {
    const mind = scripted('mind', script);
    const agent = teamAgent({
      name: 'finder',
      settings: readTeam({ name: 'finder', kind: 'team', settings }),
      members: { mind },
      discussion,
    });
    const { events, returns } = await playOne(environment, { finder: agent }, task, Number(seed) * 1000 + i);
    totalReturn += (returns['finder'] ?? 0) / machines;
    if ((returns['finder'] ?? 0) > 0.5) right += 1 / machines;
    const minds = events.flatMap((event): readonly (TeamMind | null | undefined)[] =>
      event.kind === 'action' ? [readTeamMind(event.mind)] : [],
    );
    ranSteps += minds.at(-1)?.acted[arm === 'pangu' ? 'ran plan' : 'ran induce'] ?? 0;
  }
  return { paid: totalReturn, right, calls: callCount / machines, kept: ranSteps };
}
