/** @file The result of a service conversation: right end state, facts stated, policy kept, ended in order. The value is their product. */

import { hash } from '../../core/index.ts';
import { evidenceOf, type ScoringRule } from '../scorer.ts';
import { environmentNameOf, noteOf } from './log.ts';
import { unfinishedFinding } from './outcome.ts';

const nothingChanged = hash({});
const components = ['database', 'facts', 'policy', 'normal'] as const;

/**
 * Reads the service desk's note. An agent that never declares it is done never ends a conversation in order, so the floor is 0; `untouched`
 * marks tasks whose right end state is the first one, which an agent that only talks would also reach.
 */
export const service: ScoringRule = {
  name: 'service',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  floor: 0,
  find({ log, seat }) {
    if (environmentNameOf(log) !== 'service-desk' || seat !== 'agent') return null;
    const note = noteOf(log, 'outcome');
    if (note === null) return unfinishedFinding(log);
    const { value } = note;
    const parts: Record<string, number> = {};
    for (const name of components) parts[name] = value[name] === true ? 1 : 0;
    const kept = components.every((name) => value[name] === true);
    const breaches = Array.isArray(value['breaches']) ? value['breaches'] : [];
    const unsaid = Array.isArray(value['unsaid']) ? value['unsaid'] : [];
    parts['breaches'] = breaches.length;
    parts['unsaid'] = unsaid.length;
    parts['untouched'] = value['expected'] === nothingChanged ? 1 : 0;
    const problems = [...breaches.map((rule) => `policy: ${rule}`), ...unsaid.map((fact) => `not said: ${JSON.stringify(fact)}`)];
    const remark = problems.length === 0 ? {} : { note: problems.join('; ') };
    return { value: kept ? 1 : 0, parts, evidence: evidenceOf(log, note, { supports: kept, ...remark }) };
  },
};
