/** @file Scripted programmers: a fixer that tries every one-token change against the tests and knows faster programs, and an injector. */

import { Fault, type Script } from '@ludus-agents/kernel/internal/core/index';
import { firstText } from '../exercise.ts';
import { type Files, passes, readFiles, runTests } from './judging.ts';
import { applyChange, changesOf, changeText } from './mutations.ts';
import { pythonFixer } from './python.ts';
import { slowPrograms } from './repositories.ts';

const fixer: Script = (turn) => {
  const { view, ask } = turn;
  if (ask.seat === 'injector') throw new Fault('input', 'This script repairs; it does not inject.');
  const brief = firstText(view, /^--- /m);
  if (brief.startsWith('Repair the program in Python')) return pythonFixer(turn);
  const done = view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []));
  const all = Object.entries(readFiles(brief)).filter(([path]) => path !== 'tests');
  const tests: Files = Object.fromEntries(all.filter(([path]) => /\.test\.[jt]s$/.test(path)));
  const files: Files = Object.fromEntries(all.filter(([path]) => !/\.test\.[jt]s$/.test(path)));
  if (brief.includes('Make the program faster')) {
    const slowProgram = slowPrograms.find((otherSlowProgram) =>
      Object.keys(otherSlowProgram.files).every((path) => Object.hasOwn(files, path)),
    );
    const [path, code] = Object.entries(slowProgram?.faster ?? {})[0] ?? ['', ''];
    return { text: done.length > 0 || slowProgram === undefined ? '[submit]' : `\`\`\`${path}\n${code.trimEnd()}\n\`\`\`` };
  }
  let now = files;
  for (const move of done) {
    const change = changesOf(now).find((change) => `[change ${changeText(change)}]` === move);
    if (change !== undefined) now = applyChange(now, change)!;
  }
  if (passes(now, tests)) return { text: '[submit]' };
  let [best, most] = [(ask.choices ?? []).at(-1) ?? '', -1];
  for (const change of changesOf(now)) {
    const report = runTests(applyChange(now, change)!, tests);
    const good = report.filter(({ ok }) => ok).length;
    if (good > most) [best, most] = [`[change ${changeText(change)}]`, good];
    if (good === report.length) break;
  }
  return { text: best };
};

const injector: Script = ({ ask, rng }) => {
  if (ask.seat !== 'injector') throw new Fault('input', 'This script injects; it does not repair.');
  return { text: rng.pick(ask.choices as readonly string[]) };
};

export const scripts: Readonly<Record<string, Script>> = { fixer, injector };
