/** @file Options of `ludus improve` with structured values. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { count } from '@ludus-agents/kernel/internal/core/format';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { EvaluatorBudget } from '@ludus-agents/learning/internal/prompts/evaluator';
import { type CostName, costNames } from '@ludus-agents/learning/internal/prompts/objectives';

/** Plays of tasks by the engine as a plain number, or tokens or dollars for the whole run. */
export function budgetIn(text: string): EvaluatorBudget {
  const match = linear(/^(?:\$\s*(\d*\.?\d+)|(\d*\.?\d+)\s*(plays?|calls?|tokens?|dollars?|usd)?)$/i).exec(text.trim());
  const [, dollars, plain, unit = 'plays'] = match ?? [];
  const value = Number(dollars ?? plain);
  const isMoney = dollars !== undefined || /^(dollar|usd)/i.test(unit);
  if (match === null || value <= 0 || (!isMoney && !Number.isSafeInteger(value)))
    throw new Fault('input', `--budget: expected plays, tokens, or dollars, such as 500, 2000000tokens, or $5, got "${text}".`);
  if (isMoney) return { money: value };
  return /^token/i.test(unit) ? { tokens: value } : { calls: value };
}

export function budgetWords({ calls, tokens, money }: EvaluatorBudget): string {
  if (calls !== undefined) return count(calls, 'play');
  return tokens === undefined ? `$${money ?? 0} in all` : `${count(tokens, 'token')} in all`;
}

export function costName(text: string): CostName {
  const costName = costNames.find((name) => name === text);
  if (costName !== undefined) return costName;
  throw new Fault('input', `Unknown cost "${text}". Available: ${costNames.join(', ')}.${didYouMean(text, costNames)}`, {
    code: 'E_UNKNOWN_NAME',
  });
}

/** `tokens=0.0001,seconds=0.01` */
export function costs(option: string): (text: string) => Partial<Record<CostName, number>> {
  return (text) =>
    Object.fromEntries(
      text.split(',').map((part) => {
        const [name = '', value = ''] = part.split('=');
        const amount = Number(value);
        if (value.trim() === '' || !(amount >= 0))
          throw new Fault('input', `${option}: expected NAME=NUMBER, such as tokens=0.0001, got "${text}".`);
        return [costName(name.trim()), amount];
      }),
    );
}

/** Settings of an engine: values are parsed as JSON if possible. */
export function settingsIn(set: readonly string[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    set.map((text) => {
      const cut = text.indexOf('=');
      if (cut < 1) throw new Fault('input', `--set: expected NAME=VALUE, such as batch=5, got "${text}".`);
      const value = text.slice(cut + 1);
      try {
        return [text.slice(0, cut), JSON.parse(value) as Json];
      } catch {
        return [text.slice(0, cut), value];
      }
    }),
  );
}

export function numbers(text: string): readonly number[] {
  const matches = text.split(',').map((item) => (/^\d+$/.test(item.trim()) ? Number(item) : Number.NaN));
  if (matches.some(Number.isNaN)) throw new Fault('input', `--protect: expected task numbers, such as 0,3, got "${text}".`);
  return matches;
}

export function three(text: string): readonly [number, number, number] {
  const matches = text.split(',').map((item) => (/^[1-9]\d*$/.test(item.trim()) ? Number(item) : Number.NaN));
  if (matches.length !== 3 || matches.some(Number.isNaN))
    throw new Fault('input', `--tasks: expected three positive integers, such as 24,24,200, got "${text}".`);
  return matches as unknown as readonly [number, number, number];
}
