/** @file An improvement belongs to the files that it was made with: another version of one makes another run, and none is continued with both. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folder, ludus, type Setting } from '../terminal.cases.ts';

const model = `import { tone } from './tone.mjs';
export default { id: 'mine', async complete() {
  await globalThis.gate;
  return { model: 'mine', text: tone, finish: 'stop', usage: { promptTokens: 1, completionTokens: 1 }, cost: 0 };
} };
`;
const cases = ['input,expected', ...['A', 'B', 'C', 'D', 'E', 'F'].map((letter) => `Say ${letter},${letter}`)].join('\n');

let cwd: string;
beforeEach(() => {
  cwd = folder();
  for (const [name, text] of Object.entries({ 'model.mjs': model, 'cases.csv': cases })) writeFileSync(join(cwd, name), text);
  writeFileSync(
    join(cwd, 'agent.json'),
    JSON.stringify({ name: 'clerk', kind: 'llm', model: './model.mjs', texts: { instruction: 'Hi.' } }),
  );
  writeFileSync(join(cwd, 'gone.txt'), 'Be brief.\nBe kind.\n');
  tone('A');
});

/** Lets the model answer only after something was done in the middle of an improvement. */
function inTheMiddle(act: (interrupt: () => void) => void): NonNullable<Setting['during']> {
  const gate = Promise.withResolvers<void>();
  Object.assign(globalThis, { gate: gate.promise });
  return async (interrupt, written) => {
    await written(/held out/);
    act(interrupt);
    gate.resolve();
  };
}

function tone(word: string): void {
  writeFileSync(join(cwd, 'tone.mjs'), `export const tone = '${word}';\n`);
}

async function improve(more: readonly string[] = [], setting: Setting = {}) {
  const words = ['improve', './agent.json', '--on', './cases.csv', '--proposer', 'random', '--budget', '6', '--tasks', '2,2,2'];
  const { code, out, err } = await ludus(cwd, [...words, '--concurrency', '1', '--yes', '--json', ...more], setting);
  const { run, file = 'none', code: fault, details } = JSON.parse(out.trim().split('\n').at(-1) || '{}') as Record<string, string>;
  // The same command is to go on where it was, and not to be stopped by its own result.
  rmSync(join(cwd, file), { force: true });
  return { code, err, run, fault, details };
}

describe('an improvement', () => {
  it('is the same run without changes, and a new run after an edit of an import of its model', async () => {
    const first = await improve();
    const again = await improve();
    expect([first.code, again.code, again.run]).toEqual([0, 0, first.run]);
    tone('B');
    const second = await improve();
    expect(second.run).not.toBe(first.run);
    expect(second.err).toContain(`./model.mjs changed since run ${first.run}: ${second.run} is a new run`);
    expect((await ludus(cwd, ['show', first.run!])).out).toContain('./model.mjs changed after');
    tone('A');
    expect((await improve()).run).toBe(first.run);
  });

  it('with a given name is not continued with other files', async () => {
    expect((await improve(['--name', 'mine'])).code).toBe(0);
    tone('B');
    expect(await improve(['--name', 'mine'])).toMatchObject({ code: 2, fault: 'E_STALE' });
  });

  it('that was stopped is not resumed with other files', async () => {
    const stopped = await improve(['--name', 'mine'], {
      during: inTheMiddle((interrupt) => interrupt()),
    });
    expect(stopped.code).toBe(130);
    tone('B');
    expect(await improve(['--name', 'mine'])).toMatchObject({ code: 2, fault: 'E_STALE' });
    const env = { LUDUS_HOME: join(cwd, 'home') };
    await ludus(cwd, ['config', 'allow', './model.mjs'], { env });
    const resume = async () => (await ludus(cwd, ['improve', '--resume', 'mine', '--json'], { env })).out.trim().split('\n').at(-1)!;
    expect(JSON.parse(await resume())).toMatchObject({ code: 'E_STALE' });
    tone('A');
    expect(JSON.parse(await resume())).toMatchObject({ run: 'mine' });
  });

  it.each([
    ['model.mjs', './model.mjs', () => tone('B'), true],
    [
      'agent.json',
      './agent.json',
      () => writeFileSync(join(cwd, 'agent.json'), '{"name":"other","kind":"llm","model":"./model.mjs"}'),
      false,
    ],
  ])('reports that %s changed while it was running', async (_, name, change, isMixed) => {
    const agent = { name: 'clerk', kind: 'llm', model: './model.mjs', texts: { instruction: 'Hi.' } };
    const changed = await improve([], {
      during: inTheMiddle(change),
    });
    expect(changed.err).toContain(`${name} changed while ${changed.run} was running`);
    tone('A');
    writeFileSync(join(cwd, 'agent.json'), JSON.stringify(agent));
    const again = await improve();
    if (isMixed) expect(again).toMatchObject({ code: 2, fault: 'E_STALE' });
    else expect([again.code, again.run]).toEqual([0, changed.run]);
  });
});
