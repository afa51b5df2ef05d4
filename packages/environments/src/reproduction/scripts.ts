/**
 * @file Scripted seats: a researcher that runs the given programs and reads their output, one that copies figures from the paper, and a
 * small in-process shell. The shell reads files and runs JavaScript in the interpreter; it has no other programs.
 */

import { Fault, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { textsOf } from '../exercise.ts';
import { runScript } from '../interpreter/interpreter.ts';
import { numberIn } from './study.ts';

const shellLimits =
  'a scripted shell: ls, cat, head, grep, and node FILE ARGUMENTS for simple JavaScript, joined by "&&"; no pipes, no other programs, no network, and nothing is written';

const limits = { fuel: 5_000_000, printed: 8000 };
const outputs = new Map<string, { readonly out: string; readonly code: number }>();

/** Returns the output and exit code of a command. The result is deterministic. */
function runCommand(files: Readonly<Record<string, string>>, command: string): { readonly out: string; readonly code: number } {
  const key = JSON.stringify([files, command]);
  const before = outputs.get(key);
  if (before !== undefined) return before;
  let out = '';
  let code = 0;
  for (const part of command.split('&&')) {
    const result = runProgram(files, part.trim().split(/\s+/));
    out += result.out;
    code = result.code;
    if (code !== 0) break;
  }
  if (outputs.size > 2000) outputs.clear();
  outputs.set(key, { out, code });
  return { out, code };
}

function runProgram(files: Readonly<Record<string, string>>, [program = '', ...args]: readonly string[]) {
  const named = args.filter((argument) => !argument.startsWith('-'));
  const missing = (path: string) => ({ out: `${program}: ${path}: not found\n`, code: 1 });
  const textAt = (path: string) => (Object.hasOwn(files, path.replace(/^\.\//, '')) ? files[path.replace(/^\.\//, '')] : null);
  if (program === 'ls') return { out: `${Object.keys(files).sort().join('\n')}\n`, code: 0 };
  if (program === 'cat' || program === 'head') {
    const texts: string[] = [];
    for (const path of named) {
      const text = textAt(path);
      if (text === null) return missing(path);
      texts.push(program === 'cat' ? text : text.split('\n').slice(0, 10).join('\n'));
    }
    return { out: texts.join('\n'), code: 0 };
  }
  if (program === 'grep') {
    const [pattern = '', ...paths] = named.map((argument) => argument.replaceAll(/["']/g, ''));
    const lines = (paths.length === 0 ? Object.keys(files) : paths).flatMap((path) =>
      (textAt(path) ?? '').split('\n').flatMap((line) => (line.includes(pattern) ? [`${path}: ${line}`] : [])),
    );
    return { out: lines.length === 0 ? '' : `${lines.join('\n')}\n`, code: lines.length === 0 ? 1 : 0 };
  }
  if (program !== 'node') return { out: `${program}: not available here. This is ${shellLimits}.\n`, code: 127 };
  const [path = '', ...rest] = args;
  if (textAt(path) === null) return missing(path);
  const { ok, printed, problem } = runScript(files, path.replace(/^\.\//, ''), {
    given: { process: { argv: ['node', path, ...rest] } },
    limits,
  });
  return { out: ok ? printed : `${printed}${problem}\n`, code: ok ? 0 : 1 };
}

/** A request to the shell seat: commands, each run on the same files. */
export interface ShellRequest {
  readonly files: Readonly<Record<string, string>>;
  readonly commands: readonly string[];
  readonly image?: string;
}

const shell: Script = ({ ask }) => {
  if (ask.seat !== 'shell') throw new Fault('input', 'This script only plays the seat "shell".');
  const { files, commands } = ask.data as unknown as ShellRequest;
  const runs = commands.map((command) => ({ ...runCommand(files, command), files }));
  return { text: runs.at(-1)?.out.slice(0, 200) || 'No output.', data: { runs, limits: shellLimits } };
};

/** Parses the questions and their ids from the brief. */
function questionsIn(brief: string): readonly { readonly id: string; readonly ask: string }[] {
  return [...brief.matchAll(linear(/^\* (\S+): (.*)$/gm))].map(([, id, ask]) => ({ id, ask }));
}

/** Answers each question with the line "name: value" that shares the most words with it. */
export function answersFrom(output: string, questions: readonly { readonly id: string; readonly ask: string }[]): string | null {
  const lines = output.split('\n').flatMap((line) => {
    const [, name, value] = linear(/^\s*([^:]{2,80}): (.+)$/).exec(line) ?? [];
    return name === undefined ? [] : [{ words: wordsOf(name), value }];
  });
  if (lines.length === 0) return null;
  const answers = questions.map(({ id, ask }) => {
    const questionWords = new Set(wordsOf(ask));
    // A line is worth less if its name is not entirely in the question.
    const worth = ({ words }: (typeof lines)[number]) => {
      const shared = words.filter((word) => questionWords.has(word)).length;
      return shared - 0.5 * (words.length - shared);
    };
    const best = lines.reduce((most, line) => (worth(line) > worth(most) ? line : most));
    return `${id} = ${numberIn(best.value) ?? best.value}`;
  });
  return `[answer ${answers.join('; ')}]`;
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function briefOf(turn: Turn): string {
  return textsOf(turn.view).find((text) => text.includes('Questions:')) ?? '';
}

/** Reads saved results or the instructions; otherwise runs the programs one by one until an output contains the answers. */
const reproducer: Script = (turn) => {
  if (turn.ask.seat !== 'researcher') throw new Fault('input', 'This script only plays the seat "researcher".');
  const brief = briefOf(turn);
  const questions = questionsIn(brief);
  const files =
    linear(/^Files: (.*)$/m)
      .exec(brief)?.[1]
      ?.split(', ') ?? [];
  const done = turn.view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []));
  const last = done.length === 0 ? '' : (textsOf(turn.view).at(-1) ?? '');
  const ran = done.at(-1) ?? '';
  const answer = /^\[run cat (README|paper)/i.test(ran) ? null : answersFrom(last, questions);
  const isComplete =
    answer !== null && questions.every(({ ask }) => wordsOf(ask).some((word) => word.length > 3 && last.toLowerCase().includes(word)));
  if (isComplete && last.split('\n').filter((line) => line.includes(': ')).length >= questions.length) return { text: answer };
  if (done.length === 0 && files.includes('results.txt')) return { text: '[run cat results.txt]' };
  const readme = files.find((file) => /^readme/i.test(file));
  if (done.length === 0 && readme !== undefined) return { text: `[run cat ${readme}]` };
  const [, command] = linear(/`((?:node|python3?|sh|bash|make|Rscript) [^`]+)`/).exec(textsOf(turn.view).join('\n')) ?? [];
  if (command !== undefined && !done.includes(`[run ${command}]`)) return { text: `[run ${command}]` };
  const programs = files
    .filter((file) => /\.(js|py|sh)$/.test(file))
    .map((file) => `[run ${/\.js$/.test(file) ? 'node' : /\.py$/.test(file) ? 'python3' : 'sh'} ${file} 1]`);
  const next = programs.find((program) => !done.includes(program));
  return { text: next ?? answer ?? `[answer ${questions.map(({ id }) => `${id} = 0`).join('; ')}]` };
};

/** Copies the paper's figures in order, without running anything. A check must not accept this as a reproduction. */
const copier: Script = (turn) => {
  if (turn.ask.seat !== 'researcher') throw new Fault('input', 'This script only plays the seat "researcher".');
  const questions = questionsIn(briefOf(turn));
  const done = turn.view.seen.some((item) => item.kind === 'action');
  if (!done) return { text: '[run cat paper.md]' };
  const figures = (textsOf(turn.view).at(-1) ?? '').match(linear(/\d+\.\d+/g)) ?? ['0'];
  return { text: `[answer ${questions.map(({ id }, i) => `${id} = ${figures[i % figures.length]}`).join('; ')}]` };
};

export const scripts: Readonly<Record<string, Script>> = { reproducer, copier, shell };
