/** @file A calculator as a tool: exact arithmetic with integers and fractions, in this process. */

import { calculate, rationalText } from '@ludus-agents/environments/internal/maths/rational';
import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { Tool } from './tool.ts';

export function calculatorTool(): Tool {
  return {
    spec: {
      name: 'calculate',
      description: 'Calculates exactly with + - * / ^ mod and brackets.',
      parameters: { type: 'object', properties: { sum: { type: 'string' } }, required: ['sum'], additionalProperties: false },
    },
    async call(input) {
      const sum = (input as JsonObject | null)?.['sum'];
      if (typeof sum !== 'string') return { ok: false, text: 'Give the calculation as {"sum": "2 * 3"}.' };
      const result = calculate(sum);
      return result.ok ? { ok: true, text: rationalText(result.value) } : { ok: false, text: result.problem };
    },
  };
}
