/**
 * @file A planning agent stage by stage, from its tool calls and replies (after PIPA): each stage is a share of things done right, found by
 * code, with the worst of them quoted.
 *
 * state: values of arguments were heard before they were used. tools: no call is made twice without a change in between. arguments: every
 * call was complete and accepted. observation: numbers that are said were seen. policy: writes follow somebody's yes. A stage with nothing to
 * look at has no score.
 */

import type { Evidence, Json } from '@ludus-agents/kernel/internal/core/index';
import { canonical } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { meanOrNull } from '@ludus-agents/kernel/internal/core/mean';
import { type Case, evidenceOf, type Finding, type ScoringRule } from '../scorer.ts';
import { callsOf, type ToolUse } from './calls.ts';
import { wordsBy } from './log.ts';

const writing =
  /^(?:create|update|cancel|book|send|delete|transfer|pay|modify|set|add|remove|submit|place|refund|return|exchange|change|write|buy|order|move|approve|close)(?=$|[_\-\p{Lu}])/u;
const consent = /\b(?:yes|yeah|yep|sure|ok(?:ay)?|confirm(?:ed)?|go ahead|please do|do it|proceed|correct|agreed)\b/i;

interface Check {
  readonly right: boolean;
  readonly event: number;
  readonly note: string;
}

type Stage = 'state' | 'tools' | 'arguments' | 'observation' | 'policy';

/** A score for the whole, the mean of the stages that apply, and one for each stage. */
export const planning: ScoringRule = {
  name: 'planning',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  floor: 0,
  find(input) {
    const calls = callsOf(input.log, input.seat);
    if (calls.length === 0) return null;
    const stages: Readonly<Record<Stage, readonly Check[]>> = {
      state: heardBefore(input, calls),
      tools: notRedundant(input, calls),
      arguments: complete(input, calls),
      observation: grounded(input, calls),
      policy: checkConsent(input, calls),
    };
    const share = (checks: readonly Check[]) => (checks.length === 0 ? null : checks.filter(({ right }) => right).length / checks.length);
    const parts = Object.fromEntries(Object.entries(stages).map(([stage, checks]) => [stage, share(checks)]));
    const value = meanOrNull(Object.values(parts).filter((part) => part !== null));
    if (value === null) return null;
    const stagewise = Object.entries(stages).flatMap(([stage, checks]): readonly Finding[] => {
      const part = share(checks);
      return part === null ? [] : [{ part: stage, value: part, evidence: quotes(input, checks) }];
    });
    return [{ value, parts: { ...parts, calls: calls.length }, evidence: quotes(input, Object.values(stages).flat()) }, ...stagewise];
  },
};

function quotes({ log }: Case, checks: readonly Check[]): readonly Evidence[] {
  return checks
    .filter(({ right }) => !right)
    .slice(0, 3)
    .flatMap(({ event, note }) => {
      const episodeEvent = log.episode.events[event];
      const text = episodeEvent?.kind === 'action' ? episodeEvent.action.text : episodeEvent?.kind === 'message' ? episodeEvent.text : '';
      return evidenceOf(log, { event, text }, { supports: false, note });
    });
}

/** Everything the seat could read before an event, in lower case. */
function heardUntil({ log, seat }: Case, event: number): string {
  return log.episode.events
    .slice(0, event)
    .flatMap((event) =>
      event.kind === 'message' && event.to.includes(seat) && event.from !== seat ? [`${event.text} ${dataText(event.data)}`] : [],
    )
    .join('\n')
    .toLowerCase();
}

function dataText(data: Json | undefined): string {
  return data === undefined ? '' : JSON.stringify(data);
}

function scalars(json: Json): readonly (string | number)[] {
  if (typeof json === 'string' || typeof json === 'number') return [json];
  if (Array.isArray(json)) return json.flatMap((item: Json) => scalars(item));
  return isObject(json) ? Object.values(json).flatMap((item) => scalars(item)) : [];
}

/** Values too short to differ from chance are left out. */
function heardBefore(input: Case, calls: readonly ToolUse[]): readonly Check[] {
  return calls.flatMap(({ event, args }) => {
    const message = heardUntil(input, event);
    return scalars(args)
      .map(String)
      .filter((value) => value.length >= 3)
      .map((value) => ({ right: message.includes(value.toLowerCase()), event, note: `"${value.slice(0, 40)}" was heard nowhere before` }));
  });
}

function isWrite({ reference }: Case, tool: string): boolean {
  const named = reference['writes'];
  return Array.isArray(named) ? named.includes(tool) : writing.test(tool);
}

function notRedundant(input: Case, calls: readonly ToolUse[]): readonly Check[] {
  let result = new Set<string>();
  return calls.map(({ event, tool, args }) => {
    const key = canonical({ tool, args });
    const right = !result.has(key);
    if (isWrite(input, tool)) result = new Set();
    result.add(key);
    return { right, event, note: `the same call of ${tool} again, and nothing had changed` };
  });
}

/** By the arguments that the reference requires; without it, by whether the call was accepted. */
function complete({ reference }: Case, calls: readonly ToolUse[]): readonly Check[] {
  const required = isObject(reference['required']) ? reference['required'] : {};
  return calls.flatMap(({ event, tool, args, ok }): readonly Check[] => {
    const wanted = required[tool];
    if (!Array.isArray(wanted)) return ok === null ? [] : [{ right: ok, event, note: `the call of ${tool} was refused` }];
    const missing = wanted.filter((name) => typeof name === 'string' && args[name] === undefined);
    return [{ right: missing.length === 0, event, note: `the call of ${tool} lacks ${missing.join(', ')}` }];
  });
}

/** Numbers of two or more digits in messages to others. The seat must have seen them. */
function grounded(input: Case, calls: readonly ToolUse[]): readonly Check[] {
  const result = new Set(calls.map(({ event }) => event));
  return wordsBy(input.log, input.seat)
    .filter(({ event, text }) => !result.has(event) && !text.trimStart().startsWith('{'))
    .flatMap(({ event, text }) => {
      const message = heardUntil(input, event);
      const numbers = text.match(/\d[\d.,]*\d/g) ?? [];
      return numbers.map((number) => ({ right: message.includes(number), event, note: `${number} stands in nothing that was read` }));
    });
}

/** A write counts as agreed if someone said yes since the previous write. */
function checkConsent(input: Case, calls: readonly ToolUse[]): readonly Check[] {
  const { log, seat } = input;
  let since = 0;
  return calls
    .filter(({ tool }) => isWrite(input, tool))
    .map(({ event, tool }) => {
      const between = log.episode.events.slice(since, event);
      since = event;
      const right = between.some(
        (episodeEvent) =>
          episodeEvent.kind === 'message' &&
          episodeEvent.to.includes(seat) &&
          episodeEvent.from !== undefined &&
          episodeEvent.from !== seat &&
          consent.test(episodeEvent.text),
      );
      return { right, event, note: `no one had agreed to ${tool}` };
    });
}
