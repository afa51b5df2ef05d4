/**
 * @file Multi-turn edits of a table with planted faults: a wrong change, an extra change, a lost cell, drift. Prints how well a checker
 * distinguishes faulty conversations from correct ones, as the area under the curve. Options: by ("objects", "whole", or "last turn"),
 * seed.
 */

import { type EditCells, type EditTurn, editRows } from '@ludus-agents/evaluation/internal/scoring/rules/edits';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const values = ['red', 'blue', 'green', 'gold', 'gray'];
const conversations = 120;

export default function run({ by = 'objects', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'edits');
  const scores: { readonly faulty: boolean; readonly score: number }[] = [];
  for (let i = 0; i < conversations; i++) {
    const faulty = i % 2 === 1;
    const { first, turns } = converse(random, faulty);
    const rows = editRows(first, turns);
    const worst = Math.min(...rows.map(({ follow, keep, drift }) => Math.min(follow, keep, drift)));
    const score = by === 'objects' ? worst : by === 'last turn' ? rows[rows.length - 1].follow : similarity(first, turns);
    scores.push({ faulty, score });
  }
  return { area: areaUnderCurve(scores) };
}

function converse(random: Rng, faulty: boolean): { readonly first: EditCells; readonly turns: readonly EditTurn[] } {
  const cells = Array.from({ length: 8 }, (_, i) => `thing${i}.color`);
  const first = Object.fromEntries(cells.map((cell) => [cell, random.pick(values)]));
  const count = 3 + random.int(6);
  const at = random.int(count);
  const fault = random.pick(['wrong', 'beside', 'lost', 'drift']);
  let state: EditCells = first;
  const turns: EditTurn[] = [];
  for (let turn = 0; turn < count; turn++) {
    const cell = random.pick(cells);
    const request = { [cell]: random.pick(values.filter((value) => value !== state[cell])) };
    let next: Record<string, Json> = { ...state, ...request };
    const other = random.pick(cells.filter((name) => name !== cell));
    if (faulty && turn === at) {
      if (fault === 'wrong') next = { ...next, [cell]: state[cell] };
      else if (fault === 'lost') delete next[other];
      else next = { ...next, [other]: random.pick(values.filter((value) => value !== state[other])) };
    }
    turns.push({ asked: request, state: next });
    state = next;
  }
  return { first, turns };
}

/** The usual overall judgment: how much of the final text is as the first text with the edits' words in it. */
function similarity(first: EditCells, turns: readonly EditTurn[]): number {
  const count = (texts: readonly string[]) => Map.groupBy(texts, (text) => text);
  const wanted = count([...Object.values(first), ...turns.flatMap(({ asked: requests }) => Object.values(requests))].map(String));
  const actual = count(Object.values(turns[turns.length - 1].state).map(String));
  return (
    [...actual].reduce((sum, [text, list]) => sum + Math.min(list.length, wanted.get(text)?.length ?? 0), 0) / Object.keys(first).length
  );
}

function areaUnderCurve(scores: readonly { readonly faulty: boolean; readonly score: number }[]): number {
  const [bad, good] = [scores.filter(({ faulty }) => faulty), scores.filter(({ faulty }) => !faulty)];
  let wins = 0;
  for (const { score: low } of bad) for (const { score: high } of good) wins += high > low ? 1 : high === low ? 0.5 : 0;
  return wins / (bad.length * good.length);
}
