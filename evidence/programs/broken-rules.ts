/**
 * @file Which rule of a desk's policy does a clerk break? Conversations are generated along the graph of rules and labeled with the
 * rules they touch. Each clerk fails on one rule and is otherwise perfect. The rule whose conversations fail most is named.
 *
 * Options: labels ("true", "shuffled" among the conversations, or "overall": one pass rate, so that a rule is named at random), seed.
 * Prints the share of clerks whose rule is named; ties count in part.
 */

import { deskEnvironment } from '@ludus-agents/desk/internal/environment/desk';
import type { DeskCase, DeskDocument } from '@ludus-agents/desk/internal/environment/document';
import { goldClerk } from '@ludus-agents/desk/internal/environment/gold-clerk';
import { policyGraph, ruleCases } from '@ludus-agents/desk/internal/environment/make/rules';
import { sampleDesk } from '@ludus-agents/desk/internal/environment/sample';
import { type AnyEnvironment, type Json, rng, type Script, scripted } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { ProgramOptions } from '../arms.ts';
import { playOne, scriptOf } from './_play.ts';

const environment = deskEnvironment as AnyEnvironment;

/** What a clerk fails at, by the words of its answer or call, and how the rule begins that it breaks. */
const faults = [
  { fails: /"cancel_order"/, rule: 'Only pending orders can be cancelled' },
  { fails: /"refund_shipping"/, rule: 'The shipping fee of 4.50 is refunded' },
  { fails: /"change_address"/, rule: 'The address of a pending order' },
  { fails: /\b30\b/, rule: 'Items can be returned' },
  { fails: /\b5\b/, rule: 'Standard delivery takes' },
  { fails: /\b(?:9|18)\b/, rule: 'The shop is open' },
] as const;

const textOf = (reply: ReturnType<Script>) => ('action' in reply ? reply.action : reply).text;

async function passes({ tasks: _, ...desk }: DeskDocument, deskCase: DeskCase, fails: RegExp | null, seed: number): Promise<boolean> {
  const gold = goldClerk({ ...desk, tasks: [deskCase] } as DeskDocument);
  const clerk: Script = (turn) => {
    const text = textOf(gold(turn));
    return { text: fails?.test(text) ? 'I will see to it.' : text };
  };
  const cast = { agent: scripted('clerk', clerk), customer: scripted('customer', scriptOf(environment, 'customer')) };
  const { returns } = await playOne(environment, cast, { desk, case: deskCase } as Json, seed);
  return (returns['agent'] ?? 0) >= 1;
}

export default async function run({ labels = 'true', count = 60, seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'rules');
  const cases = ruleCases(sampleDesk, Number(count), random);
  const rules = policyGraph(sampleDesk).rules.map(({ text }) => text);
  const rulesByCase = cases.map((deskCase) => (deskCase as { readonly rules?: readonly string[] }).rules ?? []);
  const labelsOf = labels === 'shuffled' ? random.shuffle(rulesByCase) : labels === 'overall' ? rulesByCase.map(() => rules) : rulesByCase;
  const touched = faults.filter(({ rule }) => rulesByCase.some((list) => list.some((text) => text.startsWith(rule))));
  const named: number[] = [];
  for (const { fails, rule } of touched) {
    const failed: boolean[] = [];
    for (const [i, deskCase] of cases.entries()) failed.push(!(await passes(sampleDesk, deskCase, fails, Number(seed) * 1000 + i)));
    const shareOf = (text: string) => meanOrZero(failed.filter((_, i) => labelsOf[i].includes(text)).map(Number));
    const shares = rules.map(shareOf);
    const highest = Math.max(...shares);
    const best = rules.filter((_, i) => shares[i] === highest);
    named.push(best.some((text) => text.startsWith(rule)) ? 1 / best.length : 0);
  }
  return { named: meanOrZero(named), clerks: touched.length, cases: cases.length };
}
