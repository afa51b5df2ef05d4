/**
 * @file Composes cases along the rules of a policy: rules are the nodes of a graph, related rules are connected with a weight from 0 to 10,
 * and a weighted walk collects rules until their difficulties reach the target. The cases that touch these rules become one.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { DeskCase, DeskDocument } from '../document.ts';
import { isWrite } from '../tools.ts';
import { joinCases, orderOf } from './compose.ts';

export interface PolicyRule {
  readonly text: string;
  /** From 1 to 5: the number of its conditions and numbers. */
  readonly difficulty: number;
  /** Ids of the desk's cases that touch it. */
  readonly cases: readonly string[];
}

export interface PolicyGraph {
  readonly rules: readonly PolicyRule[];
  /** How much two rules have in common, from 0 to 10, by their indexes. */
  readonly weights: readonly (readonly number[])[];
}

const small = new Set(
  'the a an of to in on is are be may can not no and or if it its you your only for with before after than this that'.split(' '),
);

function stems(text: string): ReadonlySet<string> {
  return new Set((text.toLowerCase().match(/[a-z]{3,}/g) ?? []).filter((word) => !small.has(word)).map((word) => word.slice(0, 5)));
}

/** The stem of the verb in a tool's name: "cancel" of cancel_order. */
function verbOf(tool: string): string {
  return (/^[a-z]+/.exec(tool)?.[0] ?? '').slice(0, 5);
}

/**
 * Does a case touch a rule: do its words or its calls share at least two stems with it? A rule about an action of the desk's tools is
 * touched only by requests for that action: a rule on cancellations does not concern an exchange. Steps may be in a model's format.
 */
export function touchesRule(rule: string, { says, gold }: Pick<DeskCase, 'says' | 'gold'>, tools: DeskDocument['tools']): boolean {
  const spoken = says.map((step) => (typeof step === 'string' ? step : (step.say ?? (step as { readonly ask?: string }).ask ?? '')));
  const terms = stems(`${spoken.join(' ')} ${gold.map(({ tool }) => String(tool).replaceAll('_', ' ')).join(' ')}`);
  const named = stems(rule);
  const deeds = new Set(tools.filter(isWrite).map(({ name }) => verbOf(name)));
  const due = [...named].filter((stem) => deeds.has(stem));
  return (due.length === 0 || due.some((stem) => terms.has(stem))) && [...named].filter((stem) => terms.has(stem)).length >= 2;
}

const conditionOrNumber = linear(/\b(?:if|only|unless|until|within|before|after|except|when|not|never)\b|\d+/gi);

export function policyGraph({ policy, tasks, tools }: DeskDocument): PolicyGraph {
  const lines = policy.split('\n').filter((line) => /^\s*(?:[-*]|\d+\.)\s+\S/.test(line));
  const rules = lines.map((line): PolicyRule => {
    const text = line.replace(/^\s*(?:[-*]|\d+\.)\s+/, '');
    const conditions = text.match(conditionOrNumber) ?? [];
    const touched = tasks.filter((task) => touchesRule(text, task, tools));
    return { text, difficulty: Math.min(5, 1 + conditions.length), cases: touched.map(({ id }) => id) };
  });
  const weights = rules.map((a) =>
    rules.map((b) => {
      if (a === b) return 0;
      const shared = a.cases.filter((id) => b.cases.includes(id)).length;
      const all = new Set([...a.cases, ...b.cases]).size;
      const common = [...stems(a.text)].filter((stem) => stems(b.text).has(stem)).length;
      return Math.min(10, Math.round((all === 0 ? 0 : (6 * shared) / all) + 2 * common));
    }),
  );
  return { rules, weights };
}

/** A weighted walk over unvisited rules until their difficulties reach the target or no rule is left. */
export function walk({ rules, weights }: PolicyGraph, wanted: number, dice: Rng): readonly number[] {
  if (rules.length === 0) return [];
  const path = [dice.int(rules.length)];
  for (let level = rules[path[0]].difficulty; level < wanted; ) {
    const from = weights[path[path.length - 1]];
    const open = from.map((weight, to) => (path.includes(to) ? 0 : weight));
    const total = open.reduce((sum, weight) => sum + weight, 0);
    if (total === 0) return path;
    let rest = dice.int(total);
    const next = open.findIndex((weight) => {
      rest -= weight;
      return rest < 0;
    });
    path.push(next);
    level += rules[next].difficulty;
  }
  return path;
}

/** Cases of one conversation each, made along walks. The id contains the level reached, and the case its rules. */
export function ruleCases(desk: DeskDocument, count: number, dice: Rng): readonly DeskCase[] {
  const graph = policyGraph(desk);
  const result = new Map<string, DeskCase>();
  for (let tried = 0; tried < 20 * count && result.size < count; tried++) {
    const path = walk(graph, dice.pick([5, 6, 7, 8, 9, 10]), dice);
    const touched = path.flatMap((at) => graph.rules[at].cases);
    const deskCases = desk.tasks.filter((task) => task.probe === 'task' && touched.includes(task.id));
    const start = deskCases.length === 0 ? undefined : dice.pick(deskCases);
    if (start === undefined) continue;
    const others = dice.shuffle(
      deskCases.filter(
        (deskCase) => deskCase !== start && (deskCase.customer === null || deskCase.customer === start.customer) && !deskCase.refuse,
      ),
    );
    let all: DeskCase = start;
    const joined = [start.id];
    // A request to refuse is not combined with others: refusal is judged over the whole conversation.
    for (const other of start.refuse ? [] : others.slice(0, path.length - 1))
      if (orderOf(desk, all, other) !== 'impossible') {
        all = joinCases(all, other);
        joined.push(other.id);
      }
    // A label is a rule that the conversation touches, not one that the walk has passed. Every touched rule makes it harder.
    const isTouched = ({ cases }: PolicyRule) => cases.some((id) => joined.includes(id));
    const level = graph.rules.filter(isTouched).reduce((sum, { difficulty }) => sum + difficulty, 0);
    const rules = path.map((at) => graph.rules[at]).flatMap((rule) => (isTouched(rule) ? [rule.text] : []));
    const key = `${all.says.map(({ say }) => say).join('|')}`;
    if (!result.has(key)) result.set(key, { ...all, id: `rules-${level}-${result.size + 1}`, probe: `rules, level ${level}`, rules });
  }
  return [...result.values()];
}
