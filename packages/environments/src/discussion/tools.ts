/**
 * @file Tools that members of a team write for each other (AgentOrchestra, arXiv 2506.12508): JavaScript functions that passed their tests.
 * They are stored for later moves and, with `lasting`, for later episodes. Any member calls one with a line "Use NAME: input"; the output
 * is added to its speech. A tool that fails more often than it works is dropped.
 */

import { equal, isObject, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { type CodeSkill, skillIn } from '../code-skill.ts';
import { runScript } from '../interpreter/interpreter.ts';
import { linesIn } from './speech.ts';

export type TeamTool = CodeSkill & {
  readonly uses: number;
  readonly failures: number;
  /** The team's turn in which it was written. */
  readonly since: number;
};

const mostTools = 20;
const longestOutput = 500;
/** Drops a tool once its failures exceed its successes by this number. */
const patience = 2;

/** Instructions for writing a tool. */
export const toolForm =
  'Write a block of JavaScript (```js … ```): the body of a function that gets "input" and returns a value, with one or more comments "// test: INPUT -> OUTPUT" in JSON.';

export function toolsIn(memory: JsonObject): readonly TeamTool[] {
  const stored = memory['tools'];
  const isTool = (item: Json) => isObject(item) && typeof item['name'] === 'string' && typeof item['code'] === 'string';
  return Array.isArray(stored) ? (stored.filter(isTool) as readonly TeamTool[]) : [];
}

/** Returns the tool in a speech, or the reason why it is refused. */
export function writtenTool(name: string, about: string, text: string, since: number): TeamTool | string {
  const skill = skillIn(name, text);
  if (skill === null) return 'there is no block of JavaScript';
  if (skill.tests.length === 0) return 'there is no test';
  for (const { input, output } of skill.tests) {
    const { ok, value, problem } = call(skill, input);
    if (!ok) return problem;
    if (!equal(value, output)) return `its test with ${JSON.stringify(input)} gives ${JSON.stringify(value)}`;
  }
  return { ...skill, about, uses: 0, failures: 0, since };
}

export function withTool(tools: readonly TeamTool[], tool: TeamTool): readonly TeamTool[] {
  return [...tools.filter(({ name }) => name !== tool.name), tool].slice(-mostTools);
}

/** Adds the outputs of the tools that a speech uses. */
export function withToolOutputs(text: string, tools: readonly TeamTool[]): string {
  if (tools.length === 0) return text;
  const uses = linesIn(text, 'use').flatMap(([name, input]) => {
    const tool = toolNamed(tools, name);
    if (tool === undefined) return [`Failed ${name}: there is no such tool`];
    const { ok, value, problem } = call(tool, inputIn(input));
    return [
      `${ok ? 'Output' : 'Failed'} ${tool.name}: ${(ok ? JSON.stringify(value) : problem).replace(/\s+/g, ' ').slice(0, longestOutput)}`,
    ];
  });
  return uses.length === 0 ? text : `${text}\n${uses.join('\n')}`;
}

/** Updates the tools after a speech that used some. Drops tools that fail too often. */
export function afterUse(tools: readonly TeamTool[], text: string): readonly TeamTool[] {
  const counted = tools.map((tool) => {
    const outputs = linesIn(text, 'output').filter(([name]) => name === tool.name).length;
    const failures = linesIn(text, 'failed').filter(([name]) => name === tool.name).length;
    return { ...tool, uses: tool.uses + outputs + failures, failures: tool.failures + failures };
  });
  return counted.filter(({ uses, failures }) => failures * 2 - uses < patience);
}

export function toolWords(tools: readonly TeamTool[]): string {
  if (tools.length === 0) return '';
  const rows = tools.map(({ name, about }) => `${name} (${about})`);
  return `Tools of the team: ${rows.join('; ')}. A line "Use NAME: input" uses one.\n`;
}

function toolNamed(tools: readonly TeamTool[], name: string): TeamTool | undefined {
  return tools.find((tool) => tool.name.toLowerCase() === name.toLowerCase());
}

function call({ code }: CodeSkill, input: Json) {
  return runScript({ 'main.js': `function main() {\n${code}\n}` }, 'main.js', { given: { input } });
}

/** Parses the input as JSON, falling back to plain text. */
function inputIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
