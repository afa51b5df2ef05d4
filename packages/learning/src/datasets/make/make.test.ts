/** @file Making data: nothing is made twice after any cut, the same items come out, and what is bad is refused, pipeline by pipeline. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { Fault, type JsonObject, rng } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, describe, expect, it } from 'vitest';
import { ditto } from '../../pipelines/ditto.ts';
import { mmat } from '../../pipelines/mmat.ts';
import { mpa } from '../../pipelines/mpa.ts';
import { definePipeline, type Pipeline } from '../../pipelines/pipeline.ts';
import { selfPromptTuning } from '../../pipelines/self-prompt-tuning.ts';
import { makeDataset } from './dataset.ts';
import { madeFormats } from './made-formats.ts';
import { makeItems } from './make.ts';
import { countingPipeline } from './pipeline.cases.ts';
import { sourceOf } from './sources.ts';

const home = mkdtempSync(join(tmpdir(), 'ludus-make-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const signal = new AbortController().signal;

/** Makes eight numbers into a file and gives the calls it took. */
async function counted(output: string, concurrency = 3) {
  let calls = 0;
  const answer = fakeModel({ answers: ({ messages }) => `about ${messages[0]?.content}` });
  const model = {
    ...answer,
    complete: (...inputs: Parameters<typeof answer.complete>) => {
      calls++;
      return answer.complete(...inputs);
    },
  };
  const request = { pipeline: 'counting', model: 'own', items: 8, output, concurrency };
  const work = { request, pipeline: countingPipeline, source: { kind: 'text' as const, text: 'a' }, model, judges: [model] };
  const report = await makeDataset(work, { cwd: home, signal, at: new Date(0) });
  return { report, calls, text: readFileSync(output, 'utf8') };
}

describe('makeItems journal', () => {
  it('produces the same items without repeating steps after truncation at any byte', async () => {
    const whole = join(home, 'whole.jsonl');
    const first = await counted(whole);
    expect(first.report).toMatchObject({ items: 8, attempts: 13, refused: { 'a third': 4, 'an identical item exists': 1 }, calls: 39 });
    expect(await counted(whole)).toMatchObject({ calls: 0, text: first.text });
    const size = readFileSync(`${whole}.journal`).length;
    const dice = rng(7, 'cuts');
    for (let cut = 0; cut < 8; cut++) {
      const path = join(home, `cut-${cut}.jsonl`);
      copyFileSync(`${whole}.journal`, `${path}.journal`);
      truncateSync(`${path}.journal`, dice.int(size));
      const lines = readFileSync(`${path}.journal`, 'utf8').split('\n').length - 1;
      const again = await counted(path, 1 + dice.int(4));
      expect(again.text).toBe(first.text);
      // Each line but the head is one call here, since one judge votes.
      expect(again.calls).toBe(39 - Math.max(0, lines - 1));
    }
  });

  it('survives a killed process and repeats only the call in progress', async () => {
    const path = join(home, 'killed.jsonl');
    const calls = join(home, 'calls.txt');
    const dice = rng(3, 'kills');
    const child = join(import.meta.dirname, 'killed.cases.ts');
    for (const at of [2 + dice.int(8), 2 + dice.int(8), 2 + dice.int(8), 0]) {
      const started = spawn(process.execPath, [child, path, calls, String(at)], { stdio: ['ignore', 'inherit', 'inherit'] });
      const [code, name] = await once(started, 'exit');
      expect([code, name]).toEqual(at === 0 ? [0, null] : [null, 'SIGKILL']);
      expect(existsSync(path)).toBe(at === 0);
    }
    const parts = readFileSync(calls, 'utf8').trim().split('\n');
    // The call at which a process kills itself is written down by the next one alone.
    expect(parts).toHaveLength(39);
    expect(new Set(parts).size).toBe(39);
    const items = JSON.parse(readFileSync(path, 'utf8')) as readonly { facts: { item: number } }[];
    expect(items.map(({ facts }) => facts.item)).toEqual([0, 1, 3, 6, 7, 9, 10, 12]);
  });

  it('rejects changed settings, damage, and a second running process', async () => {
    const path = join(home, 'other.jsonl');
    await counted(path);
    const begun = readFileSync(`${path}.journal`, 'utf8');
    writeFileSync(`${path}.journal`, begun.replace('"seed":0', '"seed":5'));
    await expect(counted(path)).rejects.toThrow(/was started with other settings: seed was 5 and is 0/);
    writeFileSync(`${path}.journal`, begun.replace('{"item":0', '{item:0'));
    await expect(counted(path)).rejects.toThrow(/is damaged/);
    writeFileSync(`${path}.journal`, begun);
    writeFileSync(`${path}.journal.lock`, String(process.pid));
    await expect(counted(path)).rejects.toThrow(/is already making this file\. Wait for it, or/);
    writeFileSync(`${path}.journal.lock`, '999999999');
    await expect(counted(path)).resolves.toMatchObject({ calls: 0 });
  });

  it('keeps finished steps when the model fails', async () => {
    const steps = new Map();
    const failing = { ...fakeModel({ answers: ['x'] }), complete: () => Promise.reject(new Fault('model', 'It is gone.')) };
    const making = {
      pipeline: countingPipeline,
      source: { kind: 'text' as const, text: '' },
      judges: [],
      items: 2,
      attempts: 4,
      seed: 0,
      signal,
    };
    const saved = { find: () => undefined, add: (record: { item: number; step: string }) => void steps.set(record.step, record) };
    await expect(makeItems({ ...making, model: failing, steps: saved })).rejects.toThrow('It is gone.');
  });
});

/** What a pipeline keeps of so many attempts with a stand-in. */
async function kept(pipeline: Pipeline, source: string, { standIn = pipeline.standIn!, attempts = 40, items = 40 } = {}) {
  const steps = { find: () => undefined, add: () => {} };
  const from = await sourceOf(pipeline, source, home, Trust.commandLine);
  return makeItems({ pipeline: { ...pipeline, standIn }, source: from, model: null, judges: [], items, attempts, seed: 1, steps, signal });
}

it('refuses an item that says the same as an earlier one in other words', async () => {
  const written = ['Where do you live?', 'What is your address?', 'Do you sing?', 'do you sing'];
  const pipeline = definePipeline({
    ...{ name: 'asking', about: 'questions', takes: 'text', proof: 'none' },
    make: async ({ item }) => ({
      kept: { key: String(item), messages: [{ role: 'user', content: written[item] ?? '' }], facts: { item } },
    }),
  });
  const encoder = {
    name: 'by topic',
    embed: async (texts: readonly string[]) => texts.map((text) => (text.includes('sing') ? [0, 1] : [1, 0])),
    calibration: async () => [0, 0.5] as const,
  };
  const making = { pipeline, source: { kind: 'text' as const, text: '' }, model: null, judges: [], items: 4, attempts: 4, seed: 0, signal };
  const steps = { find: () => undefined, add: () => {} };
  const byMeaning = await makeItems({ ...making, steps, encoder });
  expect(byMeaning.items.map(({ facts }) => facts['item'])).toEqual([0, 2]);
  expect(byMeaning.refused).toEqual({ 'an earlier item says the same (by topic)': 2 });
  expect((await makeItems({ ...making, steps })).items.map(({ facts }) => facts['item'])).toEqual([0, 1, 2]);
});

describe('data pipelines', () => {
  it('ditto: shows only the card, alternates in-role and out-of-role questions, and checks refusals', async () => {
    const { items, refused } = await kept(ditto, 'villain');
    const source = await sourceOf(ditto, 'villain', home, Trust.commandLine);
    if (source.kind !== 'persona') throw new Error('a persona was asked for');
    expect(items.length).toBeGreaterThan(20);
    expect(Object.keys(refused)).toContain('a question in role was refused');
    for (const { messages, facts } of items) {
      const [system, , answer] = messages;
      expect(system).toEqual({ role: 'system', content: source.profile.card });
      for (const { text } of source.profile.facts) expect(system!.content).not.toContain(text);
      if (facts['query'] === 'out of role') expect(answer!.content).toMatch(/know nothing/);
      else expect(source.profile.facts.map(({ text }) => text)).toContain(facts['evidence']);
    }
    expect(new Set(items.map(({ facts }) => facts['query']))).toEqual(new Set(['in role', 'out of role']));
  });

  it('ditto: keeps no out-of-role items from an all-knowing model or one that invents evidence', async () => {
    const knowing = await kept(ditto, 'villain', {
      standIn: (call) => ditto.standIn!({ ...call, facts: { ...call.facts, inRole: true } }),
    });
    expect(knowing.items.every(({ facts }) => facts['query'] === 'in role')).toBe(true);
    expect(knowing.refused['evidence was claimed for a question out of role']).toBeGreaterThan(0);
    const inventing = await kept(ditto, 'villain', {
      standIn: (call) => (call.step === 'answer' ? 'Answer: I am the king.\nEvidence: He is the king.' : ditto.standIn!(call)),
    });
    expect(inventing.items).toEqual([]);
  });

  it('self-prompt-tuning: varies roles with the topic and rejects a constant role', async () => {
    const { items, refused } = await kept(selfPromptTuning, 'maths');
    const topics = new Set(items.map(({ facts }) => facts['topic']));
    expect(topics.size).toBeGreaterThan(3);
    expect(new Set(items.map(({ facts }) => facts['role'])).size).toBe(topics.size);
    expect(refused['the answer was wrong']).toBeGreaterThan(0);
    const constant = (call: { step: string; facts: JsonObject }) =>
      call.step === 'role' ? 'You are a helpful assistant.' : selfPromptTuning.standIn!({ ...call, dice: rng(1) });
    expect(await kept(selfPromptTuning, 'maths', { standIn: constant })).toMatchObject({ items: [] });
  });

  it('mmat: quotes real results and rejects a contradiction', async () => {
    const { items } = await kept(mmat, 'maths', { items: 1, attempts: 4 });
    for (const { messages, facts } of items) {
      expect(messages[2]!.content).toBe(facts['result']);
      expect(messages[3]!.content).toContain(`The result is ${facts['result']}.`);
    }
    expect(items).toHaveLength(1);
    const contradicting = (call: { step: string; facts: JsonObject }) =>
      call.step === 'rationale'
        ? 'Thought: I guess.\nCode: return 6 * 7;'
        : `Thought: The result is 41. The result is 42.\nAnswer: ${call.facts['answer']}`;
    expect(await kept(mmat, 'maths', { standIn: contradicting, items: 1, attempts: 1 })).toMatchObject({
      ...{ items: [], refused: { 'the rationale contradicts the result': 1 } },
    });
  });

  it('mpa: keeps the answer key under every rewrite and rejects a changed question', async () => {
    const { items, refused } = await kept(mpa, 'maths', { items: 60, attempts: 60 });
    expect(new Set(items.map(({ facts }) => facts['ability']))).toEqual(
      new Set(['language understanding', 'problem solving', 'domain knowledge']),
    );
    for (const { messages, facts } of items) expect(messages[0]!.content).toContain(`\n${facts['key']}. ${facts['answer']}`);
    expect(refused['the rewrite lost a number or a name']).toBeGreaterThan(0);
    // Every probe comes with the question as it was, and both are cases that "ludus eval" plays, by ability.
    const rows = items.flatMap((item) => madeFormats['cases']!(item)) as unknown as readonly { ability: string; regex: string }[];
    expect(rows.filter(({ ability }) => ability === 'original')).toHaveLength(items.length);
    expect(rows.every(({ regex }) => /^\^\\W\*[A-J]\\b$/.test(regex))).toBe(true);
  });

  it('mpa: lets only the named judges vote, not the writing model', async () => {
    const question = { question: 'What is 6 times 7?', answer: '42', choices: ['42', '41'] };
    const steps = (judges: number, same: boolean) => ({
      ...{ item: 0, judges, dice: rng(1), source: { kind: 'questions', questions: [question] }, reads: () => 'answer' },
      ...{
        ask: async () => 'How much is 6 times 7?',
        agree: async () => same,
        poll: async () => [],
        run: async () => ({ ok: true, text: '' }),
      },
    });
    const make = (judges: number, same: boolean) => mpa.make(steps(judges, same) as unknown as Parameters<typeof mpa.make>[0]);
    expect(await make(0, false)).toHaveProperty('kept');
    expect(await make(2, true)).toHaveProperty('kept');
    expect(await make(2, false)).toEqual({ refused: 'the judges say that it asks something else' });
  });
});
