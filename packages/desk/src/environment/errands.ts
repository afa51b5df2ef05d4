/** @file Actions of the scripted customer on request of the desk. The customer recognizes its tools by name, followed by arguments. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { patternOf } from '../patterns.ts';
import type { DeskTool } from './document.ts';

export type DeskErrand = { readonly tool: string; readonly args: JsonObject };

/** The tools that a message requests, in order: by name, such as "toggle_data" or "toggle data", with JSON arguments, if any. */
export function errandsIn(text: string, tools: readonly Omit<DeskTool, 'does'>[]): readonly DeskErrand[] {
  const matches: { readonly at: number; readonly end: number; readonly errand: DeskErrand }[] = [];
  // The longest name first: "toggle data saver mode" is not "toggle data".
  for (const { name, parameters } of tools.toSorted((a, b) => b.name.length - a.name.length)) {
    const pattern = patternOf(`\\b${name.replaceAll('_', '[ _]')}\\b\\s*\\(?\\s*(\\{[^{}]*\\})?`, 'gi');
    for (const match of text.matchAll(pattern)) {
      const [at, end] = [match.index, match.index + match[0].length];
      const args = argumentsIn(match[1]);
      const needed = Array.isArray(parameters['required']) ? parameters['required'] : [];
      if (args === null || needed.some((key) => !Object.hasOwn(args, String(key)))) continue;
      if (!matches.some((item) => at < item.end && item.at < end)) matches.push({ at, end, errand: { tool: name, args } });
    }
  }
  return matches.sort((a, b) => a.at - b.at).map(({ errand }) => errand);
}

function argumentsIn(text: string | undefined): JsonObject | null {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A tool result as text. */
export function reportOf(result: string): string {
  return result
    .replace(/^\w+ returned /, '')
    .replace(/^"|"$/g, '')
    .replaceAll('\\n', '. ');
}
