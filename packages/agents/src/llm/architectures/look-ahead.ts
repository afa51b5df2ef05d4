/**
 * @file Looks one move ahead by rules (CEL, arXiv 2509.25052): predicts the result of each of a few moves, values each prediction, and
 * makes the move with the highest value.
 *
 * A rule in the agent's texts (`When “SITUATION”: MOVE → “EFFECT”`) that covers a move predicts its result; if no rule does, the model is
 * asked. Rules are tested during the episode: a violated rule is not used again, and observed transitions become rules. Differences from
 * the paper: the model's own answer is one of the moves and has no advantage; no weights are trained. A turn costs at most 1 + 2 · `steps`
 * calls.
 */

import type { ModelCall, Prompt, Seen } from '@ludus-agents/kernel/internal/core/index';
import type { InducedRule, SeenTransition, TransitionPart } from '../../induced-rules.ts';
import { covers, looseRule, pairTransitions, testedRules } from '../../induced-rules.ts';
import { actionText, readAnswer } from '../answer.ts';
import { readChoice } from '../choice.ts';
import { block, inert } from '../escape.ts';
import { type Architecture, type ForeseenMove, plain, type RuleView } from './architecture.ts';

/** The rules for this turn: those in the texts that this episode has not violated, and those it has confirmed. */
export function rulesHere(texts: Readonly<Record<string, string>>, observations: readonly Seen[]): RuleView {
  const parts = observations.flatMap((item): TransitionPart[] => {
    if (item.kind === 'message') return [{ shown: item.text }];
    return item.kind === 'action' ? [{ did: item.action.text }] : [];
  });
  const { transitions, situation } = pairTransitions(parts);
  const inducedRules = Object.values(texts)
    .flatMap((text) => text.split('\n').flatMap((line) => looseRule(line) ?? []))
    .map((rule): InducedRule => ({ ...rule, confirmed: 1, violated: 0 }));
  const rules = testedRules(inducedRules, transitions, transitions);
  const isKept = (rule: SeenTransition) =>
    rules.some((inducedRule) => inducedRule.situation === rule.situation && inducedRule.move === rule.move);
  return { situation, rules, struck: inducedRules.filter((rule) => !isKept(rule)) };
}

export const lookAhead: Architecture = {
  async play(round) {
    const { prompt, model, sampling, form, steps, signal, foresight, code } = round;
    const thinkResult = await plain.play(round);
    const { choices } = code;
    const { situation, rules, struck } = foresight ?? { situation: '', rules: [], struck: [] };
    if (choices.length === 0 || steps === 0) return thinkResult;
    const calls: ModelCall[] = [...thinkResult.calls];
    const { schema: _, choices: __, stop: ___, ...free } = sampling;
    const ask = async (instruction: string, most: number) => {
      const limit = model.thinks === true || free.maxTokens === undefined ? {} : { maxTokens: Math.max(free.maxTokens, most) };
      const call = await model.complete(asking(prompt, instruction), { ...free, ...limit }, signal);
      calls.push(call);
      return actionText(readAnswer(call.text, 'plain'));
    };
    const first = readChoice(actionText(thinkResult.answer), choices)?.move;
    const ruled = choices.filter((move) => rules.some((rule) => covers(rule, { situation, move })));
    const moves = [...new Set([...(first === undefined ? [] : [first]), ...ruled, ...choices])].slice(0, steps);
    const foreseen: ForeseenMove[] = [];
    for (const move of moves) {
      const rule = rules.find((rule) => covers(rule, { situation, move }));
      const next = rule?.effect ?? nextIn(await ask(predictionQuestion(move), 60));
      const speech = await ask(valueQuestion(move, next), 60);
      foreseen.push({ move, next, by: rule === undefined ? 'model' : 'rule', value: valueIn(speech) });
    }
    const best = foreseen.reduce((top, foreseenMove) => (foreseenMove.value > top.value ? foreseenMove : top));
    const answer =
      form === 'plain' ? { ...thinkResult.answer, speech: '', action: best.move } : { ...thinkResult.answer, action: best.move };
    return { answer, calls, foreseen: { moves: foreseen, ...(struck.length === 0 ? {} : { struck }) } };
  },
};

function predictionQuestion(move: string): string {
  return `Do not answer yet. Suppose you answer ${inert(move)}. By what you know of the rules, what are you told next? Write one line: "Next: …"`;
}

function valueQuestion(move: string, next: string): string {
  return `Do not answer yet. Suppose you answer ${inert(move)}, and this comes next:\n${block('records', inert(next))}\nHow well does it go for you then? Write one line: "Score: …" from 0 (lost) to 10 (won).`;
}

/** The prompt with the question appended to the last request, because some servers reject two messages in a row with the same role. */
function asking({ messages, tools: _, ...prompt }: Prompt, instruction: string): Prompt {
  const last = messages.at(-1);
  if (last?.role !== 'user') return { ...prompt, messages: [...messages, { role: 'user', content: instruction }] };
  return { ...prompt, messages: [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${instruction}` }] };
}

function nextIn(text: string): string {
  const line = /next:\**\s*(.+)/i.exec(text)?.[1] ?? text.trim().split('\n')[0] ?? '';
  return line.trim().slice(0, 200).toWellFormed();
}

/** A value from 0 to 1; text without a number counts as 0. */
function valueIn(text: string): number {
  const score = Number(/score:\**\s*(\d+(?:\.\d+)?)/i.exec(text)?.[1] ?? /\b(10|\d(?:\.\d+)?)\b/.exec(text)?.[1] ?? 0);
  return Math.min(10, Math.max(0, score)) / 10;
}
