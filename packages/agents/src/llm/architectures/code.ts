/**
 * @file Code as the action (CodeAct, arXiv 2402.01030): the model writes JavaScript, which runs in the sandbox. Moves and tools are functions in
 * it, variables are kept between runs and turns, and a function that passes its tests is kept for later episodes.
 *
 * Every use is recorded, and a log replays without running anything. A turn costs up to `steps` + 1 calls.
 */

import { type ChatMessage, choose, isObject, type Json, type JsonObject, type ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { openSandbox } from '../../sandbox/sandbox.ts';
import { boxModule, failureOf, type KeptTool, readTool, withTool } from '../../tools/kept-tools.ts';
import type { Tool, ToolRecord } from '../../tools/tool.ts';
import { readAnswer } from '../answer.ts';
import { toolText } from '../prompt.ts';
import type { Architecture, CodeState, ThinkInput } from './architecture.ts';

const longestOutput = 4000;
const longestExample = 200;

export const code: Architecture = {
  manner: [
    'You may act by code: write one block of JavaScript between ```js and ```, and nothing after it. In it:',
    '- choices lists your moves, where they are known; await move("…") makes a move and ends your turn',
    '- await tools.NAME({…}) uses a tool; console.log(…) shows you something, and you go on from there',
    '- vars is an object: what you put into it is still there in later code and later turns',
    '- await keep({name, code, tests}) keeps a function for good, after at least three tests {args, result}; box.NAME(…) calls it',
    'Without code, your words are your answer.',
  ].join('\n'),

  async play(round) {
    const { prompt, model, sampling, form, steps, signal } = round;
    const calls: ModelCall[] = [];
    const uses: ToolRecord[] = [];
    let state = round.code;
    let messages = withBox(prompt.messages, state.box);
    const { tools: _, ...bare } = prompt;
    const { schema, ...free } = sampling;
    for (let step = 0; ; step++) {
      const open = step < steps;
      const call = await model.complete({ ...bare, messages }, open || schema === undefined ? free : { ...free, schema }, signal);
      calls.push(call);
      const written = open ? codeIn(call.text) : null;
      if (written === null) return { answer: readAnswer(call.text, form), calls, uses, code: state };
      const ran = await runInTurn(written, state, round, uses);
      state = ran.state;
      if (ran.move !== null) return { answer: { ...readAnswer('', 'plain'), action: ran.move }, calls, uses, code: state };
      messages = [...messages, { role: 'assistant', content: call.text }, toolText('code', ran.output)];
    }
  },
};

/** The messages, with the agent's stored functions and an example of each at the end of the latest message. */
function withBox(messages: readonly ChatMessage[], box: readonly KeptTool[]): readonly ChatMessage[] {
  const last = messages.at(-1);
  if (box.length === 0 || last === undefined) return messages;
  const examples = box.map(({ name, tests: [first] }) => {
    const call = `box.${name}(${(first?.args ?? []).map((value) => JSON.stringify(value)).join(', ')})`;
    return `${call} gives ${JSON.stringify(first?.result ?? null)}`.slice(0, longestExample);
  });
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\nFunctions that you kept: ${examples.join('; ')}.` }];
}

/** The last block of code in an answer, or null. */
export function codeIn(text: string): string | null {
  return [...text.matchAll(/```(?:js|javascript)\s*\n([\s\S]*?)(?:```|$)/g)].at(-1)?.[1] ?? null;
}

interface Ran {
  readonly state: CodeState;
  readonly move: string | null;
  readonly output: string;
}

async function runInTurn(written: string, state: CodeState, { tools, signal }: ThinkInput, uses: ToolRecord[]): Promise<Ran> {
  let move: string | null = null;
  let box = state.box;
  const at = uses.length;
  const record = (tool: string, input: Json, ok: boolean, result: string) => uses.push({ tool, arguments: input, ok, result });
  const ownTools: readonly Tool[] = [
    {
      spec: {
        name: 'move',
        description: 'makes a move',
        parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
      async call(input) {
        const text = String((input as JsonObject)['text']);
        const read = state.choices.length === 0 ? { ok: true as const, move: text } : choose({ text }, state.choices);
        const wrong =
          move !== null ? 'You have made your move.' : read.ok ? null : `${read.problem} Your moves: ${state.choices.join(' ')}`;
        if (wrong === null && read.ok) move = read.move;
        record('move', text, wrong === null, wrong ?? 'made');
        return { ok: wrong === null, text: wrong ?? 'made' };
      },
    },
    {
      spec: { name: 'keep', description: 'keeps a function', parameters: { type: 'object' } },
      async call(input) {
        const tool = readTool(input);
        const wrong = typeof tool === 'string' ? tool : await failureOf(tool, signal);
        if (wrong === null) box = withTool(box, tool as KeptTool);
        record('keep', input, wrong === null, wrong ?? 'kept');
        return { ok: wrong === null, text: wrong === null ? 'kept' : `Not kept: ${wrong}` };
      },
    },
  ];
  const offered = (tools?.specs ?? []).map(
    (spec): Tool => ({
      spec,
      async call(input, stop) {
        const use = await (tools as NonNullable<typeof tools>).use({ id: spec.name, name: spec.name, arguments: input }, stop);
        uses.push(use);
        return { ok: use.ok, text: use.result };
      },
    }),
  );
  const sandbox = await openSandbox({
    tools: [...offered.filter(({ spec }) => !ownTools.some((tool) => tool.spec.name === spec.name)), ...ownTools],
    seed: state.seed,
    files: {
      'box.js': boxModule(state.box),
      'main.js': `import * as box from './box.js';\nexport default async ({ vars, choices }) => {\nconst move = (text) => tools.move({ text: String(text) });\nconst keep = (given) => tools.keep(given);\nawait (async () => {\n${written}\n})();\nreturn vars;\n};`,
    },
  });
  try {
    const { ok, value, problem, printed } = await sandbox.run('main.js', { vars: state.vars, choices: state.choices }, signal);
    const fresh = box.filter((tool) => !state.box.includes(tool)).map(({ name }) => `Kept: box.${name}`);
    const lines = [...(printed === '' ? [] : [printed]), ...(ok ? [] : [`It failed: ${problem.text}`]), ...fresh];
    const output = lines.join('\n').slice(0, longestOutput) || 'It ran, and printed nothing.';
    // A tool use is recorded after the code that made it.
    uses.splice(at, 0, { tool: 'code', arguments: { code: written }, ok, result: output });
    return { state: { ...state, vars: ok && isObject(value) ? value : state.vars, box }, move, output };
  } finally {
    sandbox.close();
  }
}
