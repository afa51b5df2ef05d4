/** @file A code skill as a tool: the model provides an input, the code runs in the sandbox, and its value is the result. */

import type { CodeSkill } from '@ludus-agents/environments/internal/code-skill';
import { isObject, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { runCode } from './sandbox.ts';
import type { Tool } from './tool.ts';

export function skillTool({ name, about, code, tests }: CodeSkill): Tool {
  const example =
    tests[0] === undefined ? '' : ` For the input ${JSON.stringify(tests[0].input)} it gives ${JSON.stringify(tests[0].output)}.`;
  return {
    spec: {
      name,
      description: `${about === '' ? 'A skill of yours.' : about}${example}`,
      parameters: { type: 'object', properties: { input: {} }, required: ['input'], additionalProperties: false },
    },
    async call(args, signal) {
      const input = isObject(args) && Object.hasOwn(args, 'input') ? ((args as JsonObject)['input'] as Json) : args;
      const result = await runCode(code, input, {}, signal);
      return result.ok ? { ok: true, text: JSON.stringify(result.value), value: result.value } : { ok: false, text: result.problem };
    },
  };
}
