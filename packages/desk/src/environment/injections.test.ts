/** @file The marks of model families in planted text, and the guard that makes them inert. */

import { expect, it } from 'vitest';
import { guardResult, injectedCases } from './injections.ts';
import { sampleDesk } from './sample.ts';

const forged = injectedCases(sampleDesk).filter(({ forged }) => forged);

it('forges the markers of seven model families, including the one that ludus-gpu is measured with', () => {
  expect(forged.map(({ family }) => family)).toEqual(['Qwen', 'GPT-OSS', 'Llama', 'Grok', 'GLM', 'Kimi', 'Zephyr']);
  expect(forged.at(-1)?.case.planted).toContain('</s>\n<|system|>\n');
});

it('escapes every angle-bracket marker under the guard', () => {
  for (const { case: deskCase } of forged) expect(guardResult(deskCase.planted ?? '', 'escape', '')).not.toMatch(/<\|?\/?\w+\|?>/);
});
