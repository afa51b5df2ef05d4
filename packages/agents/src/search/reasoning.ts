/**
 * @file Structures of reasoning (arXiv 2501.11223): nodes are reasoning steps that a base writes, not moves of a game, so neither rules nor
 * listed moves are needed. Chains are independent, and their answers are counted (self-consistency). A tree branches where the judge gives
 * the highest values. In a graph, equal thoughts are judged once. Nested, each step is the best of three.
 */

import { type Agent, Fault, type Seen, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { readChoice } from '../llm/choice.ts';
import { afterLabel, onOneLine } from './answers.ts';
import type { GuidedSearch } from './guided.ts';
import { answerTo, countAct, judgeOf, type Mates } from './judge.ts';
import type { TriedMove } from './positions.ts';
import type { SearchSettings } from './settings.ts';
import { type Extension, growTree, type Judgement, nodesOf, type TreeNode, triedSteps } from './tree.ts';

/** Reasoning steps, and the answer of the last one. */
interface Thought {
  readonly steps: readonly string[];
  readonly answer: string | null;
}

export interface ReasoningOptions {
  readonly name: string;
  readonly settings: SearchSettings;
  /** Writes the steps in free text. */
  readonly base: Agent | undefined;
  /** Answers with a move if no path reached an answer. */
  readonly mover: Agent | undefined;
  readonly judge: Agent | undefined;
  readonly mates: Mates;
}

export interface ReasoningResult extends GuidedSearch {
  /** The weight of each answer: the number of chains, or the value of the best path that ends in it. */
  readonly answers: Readonly<Record<string, number>>;
}

const longestStep = 500;
const ask =
  'Think step by step, one step at a time. Write only the next step, as one line "Step: …". When the steps above are enough, write "Answer: …" instead.';

export async function reason({ name, settings, base, mover, judge, mates }: ReasoningOptions): Promise<ReasoningResult> {
  if (base === undefined)
    throw new Fault('input', `${name}: the strategy "reasoning" needs "base", an agent that writes the steps of thought.`, {
      code: 'E_BASE_MISSING',
      details: { agent: name, strategy: settings.strategy },
    });
  const { turn, acted } = mates;
  const { choices = [] } = turn.ask;
  const isChain = settings.structure === 'chain';
  const judgeBy = judge ?? base;
  const root = await growTree<Thought>({ steps: [], answer: null }, settings, {
    ...{ extend, isOver: ({ answer }) => answer !== null, keyOf: ({ steps, answer }) => plain(answer ?? steps.at(-1) ?? '') },
    // Chains are counted, not judged: the saved calls pay for more chains.
    judge: (node) => (isChain ? Promise.resolve({ value: 0.5, words: '' }) : judgeThought(node)),
    restarts: true,
  });
  const answers = answersIn(root, isChain);
  const best = Object.entries(answers).sort((a, b) => b[1] - a[1])[0]?.[0];
  const moves: readonly TriedMove[] = triedSteps(root, settings);
  return { moves, answers, move: best ?? (await answerNow(mover ?? base)), calls: mates.calls };

  async function extend(node: TreeNode<Thought>): Promise<Extension<Thought> | null> {
    const { steps } = node.state;
    const tried = node.tried.map((step) => `Tried here already: ${step}`);
    const notes = settings.hindsight && !isChain ? tried : [];
    const isLast = steps.length + 1 >= settings.depth;
    const text = await answerTo(base as Agent, thoughtPath(turn, steps), isLast ? 'Write "Answer: …" now.' : ask, {
      ...mates,
      notes: [...mates.notes, ...notes],
    });
    countAct(acted, 'steps');
    const answer = answerIn(text, choices) ?? (isLast ? (readChoice(text, choices)?.move ?? null) : null);
    if (answer !== null) return { step: `Answer: ${answer}`, state: { steps, answer } };
    if (isLast) return null;
    const step = onOneLine(/step:\**\s*(.+)/i.exec(text)?.[1] ?? text, longestStep);
    return step === '' ? null : { step, state: { steps: [...steps, step], answer: null } };
  }

  function judgeThought({ state: { steps, answer } }: TreeNode<Thought>): Promise<Judgement> {
    const path = thoughtPath(turn, answer === null ? steps : [...steps, `Answer: ${answer}`]);
    return judgeOf(judgeBy, path, { times: settings.judgements, by: settings.judging, aim: 'reason without a mistake' }, mates);
  }

  /** No path reached an answer: the base answers from the best path. */
  async function answerNow(agent: Agent): Promise<string> {
    const deepest = nodesOf(root).reduce((longest, node) => (node.depth > longest.depth ? node : longest), root);
    countAct(acted, 'cutShort');
    const view = { seat: turn.view.seat, seen: [...turn.view.seen, ...thoughtPath(turn, deepest.state.steps)] };
    const reply = await agent.act({ ...turn, view }, mates.signal);
    mates.calls.push(...(reply.calls ?? []));
    return reply.action.text;
  }
}

/** The weight of each answer: by number for chains, else by the best path that ends in it. */
function answersIn(root: TreeNode<Thought>, isChain: boolean): Record<string, number> {
  const answers: Record<string, number> = {};
  for (const { state, value } of nodesOf(root)) {
    if (state.answer === null) continue;
    const before = answers[state.answer] ?? 0;
    answers[state.answer] = isChain ? before + 1 : Math.max(before, value);
  }
  return answers;
}

/** Thoughts as the agent's messages to itself. */
function thoughtPath({ view }: Turn, steps: readonly string[]): readonly Seen[] {
  if (steps.length === 0) return [];
  return [{ kind: 'message', to: [view.seat], text: `Your steps so far:\n${steps.map((step, i) => `${i + 1}. ${step}`).join('\n')}` }];
}

/** The answer in a text, after "Answer:" or "the answer is": one of the moves, if there are any. */
function answerIn(text: string, choices: readonly string[]): string | null {
  const answer =
    afterLabel(text, 'answer') ??
    linear(/\bthe answer is(?! not\b)\s+(.+)/i)
      .exec(text)?.[1]
      ?.trim();
  if (answer === undefined) return null;
  if (choices.length === 0) return onOneLine(answer, longestStep);
  return choices.find((choice) => answer.toLowerCase().startsWith(choice.toLowerCase())) ?? readChoice(answer, choices)?.move ?? null;
}

function plain(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}.+*/=-]+/gu) ?? []).join(' ');
}
