/** @file A decision with private facts from files: parties, options, and facts. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { boolean, object, required, type Shape, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { type ContentReader, refuseDuplicates } from '../content/content.ts';
import { type DisclosureCase, factShape, leastHarm, optionShape, partyShape, problemsOfCase, survivors } from './case.ts';

type DecisionRow = { readonly id: string; readonly held: boolean };
const heldShape: Shape<DecisionRow> = object<DecisionRow>({
  id: required(words),
  held: withDefault(boolean, false, 'kept out of training'),
});

export const disclosureContent: ContentReader = {
  files: {
    'matter.md': 'what is to be decided, in a paragraph',
    'parties.json': 'who decides: id, role',
    'options.json': 'what can be chosen: id, text',
    'facts.json': 'facts: id, who, text, against, private, harm, cues, cases; or facts.csv with "|" in lists',
    'cases.csv': 'optional: id and held (true keeps a case out of training)',
  },
  seat: [],
  best: 'discreet',
  scale: [-2, 1],
  pass: 0.7,
  read(source, task) {
    const matter = source.text('matter.md').trim();
    if (source.has('matter.md') && matter === '') source.refuse('matter.md', null, 'the file is empty; it says what is to be decided');
    const tables = {
      parties: source.table('parties', partyShape),
      options: source.table('options', optionShape),
      facts: source.table('facts', factShape),
      cases: source.table('cases', heldShape, { isOptional: true }),
    };
    const isReadable = source.problems.length === 0;
    for (const rows of Object.values(tables)) refuseDuplicates(source, rows as never);
    const [parties, options] = [tables.parties.map(({ value }) => value), tables.options.map(({ value }) => value)];
    const ids = [...new Set([...tables.cases.map(({ value }) => value.id), ...tables.facts.flatMap(({ value }) => value.cases ?? [])])];
    const decisions = (ids.length === 0 ? [''] : ids).map((id) => {
      const rows = tables.facts.filter(({ value: { cases = [] } }) => cases.length === 0 || cases.includes(id));
      const facts = rows.map(({ value: { cases: _, ...fact } }) => fact);
      return { id, rows, read: { matter, parties, options, facts } satisfies DisclosureCase };
    });
    if (isReadable)
      for (const { id, rows, read } of decisions)
        for (const { table, index, message } of problemsOfCase(read)) {
          const { file, line } = (table === 'facts' ? rows : tables[table])[index] ?? { file: `${table}.json`, line: 1 };
          // A problem that occurs in every case is reported once.
          const isNew = !source.problems.some(
            (problem) => problem.file === file && problem.line === line && problem.message.endsWith(message),
          );
          if (isNew || line === 1) source.refuse(file, line, id === '' ? message : `case "${id}": ${message}`);
        }
    const isGood = source.problems.length === 0;
    const harms = decisions.map(({ read }) => (isGood ? leastHarm(read) : 0));
    const total = Math.max(0, ...decisions.map(({ read }) => read.facts.reduce((sum, fact) => sum + (fact.private ? fact.harm : 0), 0)));
    const rounds = typeof task['rounds'] === 'number' ? task['rounds'] : 2;
    const outcomes = new Set(isGood ? decisions.flatMap(({ read }) => survivors(read.options, read.facts)) : []);
    return {
      task: decisions.length > 1 ? {} : { matter: decisions[0].read },
      ...(decisions.length > 1
        ? {
            cases: decisions.map(({ id, read }) => ({
              id,
              task: { matter: read },
              heldOut: tables.cases.some(({ value }) => value.id === id && value.held),
            })),
          }
        : {}),
      seats: parties.map(({ id }) => id),
      turns: parties.length * (rounds + 2) * 4,
      proofs: [
        `${decisions.length === 1 ? 'Exactly' : `In each of ${decisions.length} cases, exactly`} one of ${count(options.length, 'option')} survives all facts, and no party can decide alone.`,
        `The facts that must be told to decide leak at least ${Math.max(...harms)} of ${total} points of harm${Math.max(...harms) === 0 ? ': full privacy is possible' : ''}.`,
        outcomes.size > 1
          ? `${outcomes.size} options are right in some case, so a learner cannot know the outcome by heart.`
          : 'One option is always right: a learner can know it by heart. Add cases to the facts to prevent that.',
      ],
    };
  },
};
