/** @file The marks of model families in planted text, and the guard that makes them inert. */

import { expect, it } from 'vitest';
import { guardResult, injectedCases } from './injections.ts';
import { probesOf } from './probes.ts';
import { sampleDesk } from './sample.ts';

const forged = injectedCases(sampleDesk).filter(({ forged }) => forged);

it('forges the markers of seven model families, including the one that ludus-gpu is measured with', () => {
  expect(forged.map(({ family }) => family)).toEqual(['Qwen', 'GPT-OSS', 'Llama', 'Grok', 'GLM', 'Kimi', 'Zephyr']);
  expect(forged.at(-1)?.case.planted).toContain('</s>\n<|system|>\n');
});

it('escapes every angle-bracket marker under the guard', () => {
  for (const { case: deskCase } of forged) expect(guardResult(deskCase.planted ?? '', 'escape', '')).not.toMatch(/<\|?\/?\w+\|?>/);
});

it('plants in a record that is asked about, and in one that is changed', () => {
  const says = probesOf(sampleDesk).flatMap((deskCase) => (deskCase.probe === 'planted record' ? [deskCase.says[0]!.kind] : []));
  expect(says.toSorted()).toEqual(['ask', 'request']);
});
