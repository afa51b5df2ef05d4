/**
 * @file Scripted experts: a Bayesian one, and baselines that any expert should beat. They know the table and their view, but not the case.
 */

import type { Script, Turn } from '@ludus-agents/kernel/internal/core/index';
import { type Advice, type ClinicKnowledge, type ClinicMove, greedy, nothingKnown, optimal, posterior, stopping } from './bayes.ts';
import { type ClinicTable, indexOf } from './table.ts';
import { answerTo, claims } from './talk.ts';

/** A result as data for programs: the finding, and whether it is present. */
export type ClinicResult = { readonly result: string; readonly present: boolean };

/** Tables with more findings than this are played greedily. */
const exactUpTo = 6;

export function experts(tableOf: (name: string) => ClinicTable): Readonly<Record<string, Script>> {
  const solvers = new Map<string, (knowledge: ClinicKnowledge) => Advice>();
  const advise = (table: ClinicTable, knowledge: ClinicKnowledge): ClinicMove => {
    if (table.findings.length > exactUpTo) return greedy(table, knowledge).move;
    const solver = solvers.get(table.name) ?? optimal(table);
    solvers.set(table.name, solver);
    return solver(knowledge).move;
  };
  const likeliest = (table: ClinicTable, { evidence }: ClinicKnowledge): ClinicMove => {
    const chances = posterior(table, evidence);
    return { kind: 'diagnose', conditions: [chances.indexOf(Math.max(...chances))] };
  };
  const script =
    (decide: (table: ClinicTable, knowledge: ClinicKnowledge) => ClinicMove): Script =>
    (turn) => {
      const opening = openingIn(turn);
      if (opening === undefined) return { text: turn.ask.choices?.[0] ?? 'I only know how to be the expert.' };
      const { turns } = opening;
      const table = tableOf(opening.table);
      const knowledge = knowledgeIn(table, turn);
      const left = turns - turn.view.seen.filter(({ kind }) => kind === 'action').length;
      // The last turn must be used to diagnose.
      const move = left > 1 ? decide(table, knowledge) : stopping(table, { ...knowledge, referred: true }).move;
      return { text: left > 1 && move.kind !== 'look' && awaits(table, knowledge) ? waiting : formatMove(table, move) };
    };
  return {
    bayes: script(advise),
    'guess-now': script((table) => likeliest(table, nothingKnown(table))),
    'test-everything': script((table, knowledge) => {
      const next = table.findings.findIndex((_, f) => (knowledge.covered & (1 << f)) === 0);
      return next >= 0 ? { kind: 'look', finding: next } : stopping(table, knowledge).move;
    }),
    'always-refer': script((table, knowledge) => (knowledge.referred ? likeliest(table, knowledge) : { kind: 'refer' })),
  };
}

const waiting = '[advise "Let us wait for the results."]';

/** Returns whether a delayed result is still pending. */
function awaits(table: ClinicTable, { evidence, covered }: ClinicKnowledge): boolean {
  return table.findings.some(({ delay = 0 }, f) => delay > 0 && (covered & (1 << f)) !== 0 && evidence[f] === null);
}

/** Formats a move as an answer. */
function formatMove(table: ClinicTable, move: ClinicMove): string {
  if (move.kind === 'refer') return '[refer urgent]';
  if (move.kind === 'diagnose') return `[diagnose ${move.conditions.map((c) => table.conditions[c]?.id).join(', ')}]`;
  const finding = table.findings[move.finding];
  return `[${finding?.kind} ${finding?.id}]`;
}

/** Returns the data in the expert's first message. Other seats don't receive it. */
function openingIn({ view }: Turn): { readonly table: string; readonly turns: number } | undefined {
  for (const item of view.seen) {
    const data = (item.kind === 'message' ? item.data : undefined) as { table?: string; turns: number } | undefined;
    if (data?.table !== undefined) return { table: data.table, turns: data.turns };
  }
  return undefined;
}

/** Summarizes the expert's view. */
function knowledgeIn(table: ClinicTable, { view }: Turn): ClinicKnowledge {
  const evidence: (boolean | null)[] = table.findings.map(() => null);
  let covered = 0;
  let referred = false;
  let requestCount = -1;
  for (const item of view.seen) {
    if (item.kind === 'action') {
      const order = item.action.text;
      const looked = indexOf(table, order.slice(order.indexOf(' ') + 1, -1));
      requestCount = order.startsWith('[ask ') ? looked : -1;
      if (looked >= 0) covered |= 1 << looked;
      else if (order.startsWith('[refer ')) referred = true;
    } else if (item.kind === 'message') {
      const result = item.data as ClinicResult | undefined;
      if (result?.result !== undefined) evidence[indexOf(table, result.result)] = result.present;
      if (item.from === undefined) continue;
      if (requestCount >= 0) evidence[requestCount] = answerTo(table.findings[requestCount], item.text) ?? evidence[requestCount] ?? null;
      else for (const [f, present] of claims(table, item.text, -1)) evidence[f] = present;
      requestCount = -1;
    }
  }
  return { evidence, covered, referred };
}
