/**
 * @file Tools of an agent: permissions are checked here, outside the model, and every use is recorded, allowed or not.
 *
 * Permission depends on the seat (its role in the environment) and is granted by the user who runs the episode; an agent's own settings can
 * only narrow it.
 */

import { type Json, sentenceOf, type ToolCall, type ToolSpec } from '@ludus-agents/kernel/internal/core/index';

export interface ToolResult {
  readonly ok: boolean;
  readonly text: string;
  /** The same as data, for code that calls the tool. */
  readonly value?: Json;
}

/** A tool that an agent, or code in a sandbox, may call. */
export interface Tool {
  readonly spec: ToolSpec;
  call(input: Json, signal: AbortSignal): Promise<ToolResult>;
}

export interface Toolbox {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

/** The source of agents' tools: boxes by name, and the permitted tools of each role. An unlisted role has those of "*". */
export interface ToolSet {
  open(name: string): Promise<Toolbox>;
  readonly roles?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** One use as stored in the agent's mind, and so in the log. */
export type ToolRecord = { readonly tool: string; readonly arguments: Json; readonly ok: boolean; readonly result: string };

export interface Toolset {
  /** The tools offered to the model, without forbidden ones. */
  readonly specs: readonly ToolSpec[];
  /** Uses a tool if it exists and is allowed. Never throws: a refusal or a failure is a result too. */
  use(call: ToolCall, signal: AbortSignal): Promise<ToolRecord>;
}

/** The most characters of a result that a model is shown and a log stores, and that a digest is made of. */
const [longest, longestDigested] = [8000, 64_000];

const wholeResults = new WeakMap<ToolRecord, string>();

/** A result before it was cut to what a log stores, for digests. */
export function wholeResult(record: ToolRecord): string {
  return wholeResults.get(record) ?? record.result;
}

export function toolset(tools: readonly Tool[], ...allowed: readonly (readonly string[])[]): Toolset {
  const isAllowed = (name: string) => allowed.every((patterns) => patterns.some((pattern) => fits(name, pattern)));
  const usable = tools.filter(({ spec }) => isAllowed(spec.name));
  return {
    specs: usable.map(({ spec }) => spec),
    async use({ name, arguments: input }, signal) {
      const toRecord = ({ ok, text }: ToolResult): ToolRecord => {
        const record = { tool: name, arguments: input, ok, result: clipText(text) };
        if (text.length > longest) wholeResults.set(record, text.slice(0, longestDigested).toWellFormed());
        return record;
      };
      const tool = usable.find(({ spec }) => spec.name === name);
      if (tool === undefined) {
        const why = tools.some(({ spec }) => spec.name === name) ? 'is not allowed for you' : 'does not exist';
        return toRecord({
          ok: false,
          text: `The tool ${name} ${why}; you have ${usable.map(({ spec }) => spec.name).join(', ') || 'none'}.`,
        });
      }
      try {
        return toRecord(await tool.call(input, signal));
      } catch (thrown) {
        // Canceling an episode is not a tool result.
        signal.throwIfAborted();
        return toRecord({ ok: false, text: `The tool ${name} failed: ${sentenceOf(thrown)}` });
      }
    },
  };
}

/** The tools that a role may use. Without a table, all tools. */
export function toolsOfRole(role: string, roles: ToolSet['roles']): readonly string[] {
  if (roles === undefined) return ['*'];
  return Object.hasOwn(roles, role) ? roles[role]! : (roles['*'] ?? []);
}

/** Matches a name, or a prefix followed by a star. */
function fits(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function clipText(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length - longest} more characters)`.toWellFormed() : text;
}
