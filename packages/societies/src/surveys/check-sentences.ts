/** @file Formats the findings of an instrument's checks as sentences. Checks without a finding are omitted. */

import type { Instrument } from '../survey/instrument.ts';
import type { InstrumentChecks } from './checks.ts';
import type { PanelChange } from './panel.ts';

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

export function disclosureSentence(item: string): string {
  return `${item}: the population has an attribute with this name, so each person's prompt contains the answer. Remove it from the population, or rename the item.`;
}

export function checkSentences(checks: InstrumentChecks, { items }: Instrument): readonly string[] {
  const lines: string[] = checks.disclosed.map(disclosureSentence);
  for (const { scale, bias, content } of checks.acquiescence)
    lines.push(`${scale}: acquiescence is ${formatSigned(bias)} points, compared with ${formatSigned(content)} points for the content.`);
  for (const { item, first, last, z, p } of checks.optionOrder)
    if (p < 0.05)
      lines.push(
        `${item}: the first option is taken by ${percent(first)} when shown first and by ${percent(last)} when shown last (z ${z.toFixed(2)}).`,
      );
  for (const { item, distance, noise, adjusted } of checks.itemOrder)
    if (adjusted < 0.05)
      lines.push(
        `${item}: people who are asked early answer differently from people who are asked late (by ${percent(distance)}; chance alone explains up to ${percent(noise)}).`,
      );
  for (const { item, same, icc, floor } of checks.retest)
    lines.push(
      `${item}: ${percent(same)} gave the same answer twice (agreement ${icc === null ? 'unknown' : icc.toFixed(2)}); ${percent(floor)} would be expected from the shares alone.`,
    );
  for (const { item, refused, broken, missing } of checks.refusal) {
    const parts = [
      refused > 0.05 ? `${percent(refused)} refused` : '',
      broken > 0 ? `${percent(broken)} broke form` : '',
      missing > 0 ? `${percent(missing)} are missing` : '',
    ];
    if (parts.some((part) => part !== '')) lines.push(`${item}: ${parts.filter((part) => part !== '').join(', ')}.`);
  }
  for (const { item, ratio, mode } of checks.sameness.items)
    if (ratio < 0.5)
      lines.push(
        `${item}: people barely differ: ${percent(mode)} gave the same answer, and the spread is ${percent(ratio)} of a uniform one. Always choosing the middle has 0%.`,
      );
  if (checks.sameness.straightLiners > 0.1)
    lines.push(`${percent(checks.sameness.straightLiners)} of people gave the same number to every item.`);
  for (const { scale, alpha, items: number } of checks.reliability)
    lines.push(`${scale}: the ${number} items go together with alpha ${alpha.toFixed(2)}.`);
  const { seen, marginals } = checks.correlation;
  if (seen !== null)
    lines.push(
      `The average correlation between scales is ${seen.toFixed(2)}; answers drawn from the marginals have ${marginals?.toFixed(2) ?? '0'}, and always choosing the middle has 0.`,
    );
  if (lines.length === 0) lines.push(`No problems in the ${items.length} items.`);
  return lines;
}

/** Describes what changed from wave to wave. */
export function panelSentences(changes: readonly PanelChange[]): readonly string[] {
  return changes.map(({ item, from, to, people, lost, change, changed, icc }) => {
    const moved =
      change === null
        ? ''
        : ` the mean moved by ${formatSigned(change.value)} (${formatSigned(change.interval[0])} to ${formatSigned(change.interval[1])}), agreement ${icc === null ? 'unknown' : icc.toFixed(2)};`;
    return `${item}, ${from} to ${to}:${moved} ${percent(changed.value)} of ${people} people gave another answer${lost > 0 ? `, ${lost} were lost` : ''}.`;
  });
}

function formatSigned(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
}
