/** @file A customer who watches: silent while the desk does what it wants, not when it does something else; and whoever plays it is audited for both. */

import { auditsOf, type Json, type Reply, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { expect, it } from 'vitest';
import { deskEnvironment } from './desk.ts';
import { makeCases } from './make/index.ts';
import { sampleDesk } from './sample.ts';

const { tasks: _, ...desk } = sampleDesk;
const deskCases = makeCases(sampleDesk, { kinds: ['watch'], each: 40, seed: 1 }).kept;
const deskCase = deskCases.find(({ id }) => id.startsWith('watch-cancel-pending') && !id.endsWith('plain'))!;
const right = JSON.stringify(deskCase.gold[0]);
const wrong = JSON.stringify({ tool: 'cancel_order', args: { order: 'B-1002' } });
const lookup = JSON.stringify({ tool: 'get_order', args: { order: 'B-1001' } });

async function converse(answers: readonly string[], customer?: (text: string, turn: number) => string, watched = deskCase) {
  let [at, turn] = [0, 0];
  const agent = scripted('agent', () => ({ text: answers[at++] ?? 'It is cancelled. Is there anything else?' }));
  const played = scripted('customer', ({ view }): Reply => {
    const last = view.seen.findLast((item) => item.kind === 'message');
    return { action: { text: customer!(last?.kind === 'message' ? last.text : '', turn++) } };
  });
  const task = { case: watched, desk } as unknown as Json;
  const cast = { agent, customer: customer === undefined ? scripted('customer', deskEnvironment.scripts!['customer']!) : played };
  const log = await Array.fromAsync(play(deskEnvironment, cast, { task, seed: 1 }));
  const statements = log.flatMap((event) => (event.kind === 'action' && event.seat === 'customer' ? [event.action.text] : []));
  return { said: statements, audits: auditsOf(log)['customer']!, seen: JSON.stringify(log) };
}

it('a watching customer is silent while the desk does as requested, and objects otherwise', async () => {
  const saved = await converse([lookup, right]);
  expect(saved.said.slice(1, 3)).toEqual(['[watch]', '[watch]']);
  expect(saved.audits.contradicted).toBe(0);
  const strayed = await converse([lookup, wrong]);
  expect(strayed.said.slice(1, 3)).toEqual(['[watch]', 'Stop, that is not what I asked for.']);
  expect(strayed.audits.contradicted).toBe(0);
});

it('a watching customer is audited for interrupting right actions and for ignoring wrong ones', async () => {
  const steps = (answer: string) => (text: string, turn: number) =>
    turn === 0 ? deskCase.says[0]!.say : text.startsWith('The desk does') ? answer : '[stop]';
  expect((await converse([right], steps('Go on.'))).seen).toContain('disturbs what is done as it wants it');
  expect((await converse([wrong], steps('[watch]'))).seen).toContain('watches while something is done that it did not ask for');
  expect((await converse([right], steps('[watch]'))).seen).not.toContain('disturbs');
});

it('a customer without watching sees none of the actions', async () => {
  const twin = deskCases.find(({ id }) => id === `${deskCase.id}-plain`)!;
  const { said, seen } = await converse([lookup, right], undefined, twin);
  expect([said.includes('[watch]'), seen.includes('The desk does this')]).toEqual([false, false]);
});
