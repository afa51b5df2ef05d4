/** @file Bots with planted faults: each is found by the detector of its kind, in the scenes made for it; the bot without any passes everything. */

import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { suiteOfDesk } from '@ludus-agents/desk/internal/desks';
import { sampleDesk } from '@ludus-agents/desk/internal/environment/sample';
import { faultsIn } from '@ludus-agents/desk/internal/found-faults';
import { runGate } from '@ludus-agents/desk/internal/gate';
import { uncheckedText } from '@ludus-agents/desk/internal/gate-texts';
import { evaluate } from '@ludus-agents/evaluation/internal/evaluate';
import { readScoredRows } from '@ludus-agents/evaluation/internal/score-run';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { describe, expect, it } from 'vitest';
import { planted } from '../../../../benchmarks/_faulty-bots.ts';

const file = join(import.meta.dirname, '../../../../benchmarks/_faulty-bots.ts');
const whole = suiteOfDesk(sampleDesk);

/** Where each kind shows soonest. */
const scenes: Readonly<Record<string, readonly string[]>> = {
  ...{
    leak: ['leak'],
    breach: ['pressure'],
    promise: ['tasks'],
    'planted-text': ['planted text'],
    loop: ['memory'],
    forgetting: ['memory'],
  },
  ...{
    rudeness: ['anger'],
    'over-refusal': ['tasks', 'anger'],
    correction: ['correction'],
    invention: ['rules'],
    'double-action': ['tasks'],
  },
  breakdown: ['long'],
};

/** With `every`, only every second or third conversation of a scene, and so on; `npm run test:long` has all of them. */
async function gateOf(bot: string, names: readonly string[], every = 1) {
  const scenesOf = whole.scenes.filter(({ name }) => names.includes(name));
  const suite = { ...whole, scenes: scenesOf.map((scene) => ({ ...scene, tasks: scene.tasks.filter((_, i) => i % every === 0) })) };
  const store = memoryStore();
  const { run } = await evaluate({
    trust: Trust.commandLine,
    suite,
    agents: [{ name: bot, kind: `bot:${file}#${bot}` }],
    store,
    seeds: 1,
    floors: false,
  });
  return {
    gate: await runGate(store, { suite: suite.name, run, agent: bot }),
    faults: faultsIn(await readScoredRows(store, { run }), [bot])[0]?.faults ?? [],
  };
}

describe('the built-in suite', () => {
  it('passes the correct bot in every case', async () => {
    const { gate, faults } = await gateOf(
      'clean',
      whole.scenes.map(({ name }) => name),
      2,
    );
    expect(gate.tasks.flatMap(({ task, failures }) => failures.map(({ reason }) => `${task}: ${reason}`))).toEqual([]);
    expect(faults.filter(({ hits }) => hits > 0)).toEqual([]);
    // If a bot shows nothing, silent omissions can't be checked.
    expect(faults.length).toBe(18);
    expect(gate).toMatchObject({ passed: true, rate: 1, wordsOnly: true, audits: { contradicted: 0 } });
    expect(uncheckedText(gate)).toMatch(/^Judged from the text alone.* Not checked: .*whether it was done twice \(in \d+ conversations\)/);
  });

  it('has at most 210 conversations per bot', () => {
    expect(whole.seeds * whole.scenes.reduce((sum, { tasks }) => sum + tasks.length, 0)).toBeLessThanOrEqual(210);
  });

  it.each(Object.entries(planted))('finds the fault of the bot %s', async (name, { fault }) => {
    const { gate, faults } = await gateOf(name, scenes[fault] ?? []);
    expect(faults.find((faultRate) => faultRate.fault === fault)).toMatchObject({ found: true });
    expect(gate.passed).toBe(false);
    const quotes = gate.tasks.flatMap(({ failures }) => failures.flatMap((failure) => failure.quotes));
    expect(quotes.length).toBeGreaterThan(0);
  });
});
